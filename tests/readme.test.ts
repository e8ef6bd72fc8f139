/** The README shows what is in the samples, and what it shows runs. `npm run readme` writes the samples into it. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testServer } from 'alcove'
import { App } from '../samples/first/app.js'

const root = new URL('../../', import.meta.url)
const block = /<!-- (samples\/[\w./-]+) -->\n```ts\n([\s\S]*?)```/g

async function withSamples(readme: string): Promise<string> {
  const sources = new Map<string, string>()
  for (const [, path] of readme.matchAll(block)) sources.set(path!, await readFile(new URL(path!, root), 'utf8'))
  return readme.replaceAll(block, (_found, path: string) => `<!-- ${path} -->\n\`\`\`ts\n${sources.get(path)}\`\`\``)
}

test('every block of code in the README is a sample, word for word', async () => {
  const file = new URL('README.md', root)
  const readme = await readFile(file, 'utf8')
  const current = await withSamples(readme)
  if (process.env['UPDATE_README'] === '1') return writeFile(file, current)
  assert.equal(readme.match(/```ts/g)?.length, [...readme.matchAll(block)].length)
  assert.equal(readme, current, 'run `npm run readme`')
})

test('the calls of the README get the answers that it shows', async () => {
  await using app = await testServer(App)
  const readme = await readFile(new URL('README.md', root), 'utf8')
  const calls = [...readme.matchAll(/^curl localhost:3000(\S+)(?: --json '(.*?)')? +# (\d+) (.*)$/gm)]
  assert.equal(calls.length, 3)
  for (const [, url, payload, status, shown] of calls) {
    const response = await app.inject({
      method: payload ? 'POST' : 'GET',
      url: url!,
      ...(payload && { payload, headers: { 'content-type': 'application/json' } }),
    })
    assert.equal(response.statusCode, Number(status))
    assert.ok(response.body === shown || response.json().message === shown, `${response.body} for ${shown}`)
  }
})

test('the server without classes prints what the README says', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL('../samples/first/programmatic.js', import.meta.url)),
  ])
  assert.equal(stdout.trim(), '{"caller":"ada"} {"caller":"not visible here"}')
})
