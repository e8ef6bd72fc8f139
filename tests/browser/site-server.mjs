/** Serves the built site, as a host of static files does. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

export const folder = fileURLToPath(new URL('../../site/.vitepress/dist/', import.meta.url))
const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

export async function serveSite() {
  assert.ok(existsSync(join(folder, 'index.html')), 'there is no built site: run `npm run site` first')
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost')
    const path = join(folder, normalize(decodeURI(pathname)), pathname.endsWith('/') ? 'index.html' : '')
    const found = await readFile(path).catch(() => undefined)
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': (found && types[extname(path)]) ?? types['.html'] })
    response.end(found ?? (await readFile(join(folder, '404.html'))))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}
