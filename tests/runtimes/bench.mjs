/**
 * The CPU time of one request on Bun and Deno: alcove beside Hono and Elysia, each in a process of its own, in turn. Prints a table; `--write`
 * writes it into docs/how-to/bun-and-deno.md. `node tests/runtimes/bench.mjs` after `npm run build:all` and `npm ci --prefix tests/runtimes`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { median } from '../../bench/stats.mjs'
import { record } from './bundles/record.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const CONNECTIONS = 16
const REQUESTS = 20_000
const ROUNDS = 5

const alcove = (entry) => `
import { createServer } from 'alcove/lib'
import { serve } from 'alcove/${entry}'
const server = createServer()
server.get('/hello', { schema: { response: { 200: { type: 'object', properties: { hello: { type: 'string' } } } } } }, () => ({ hello: 'world' }))
const body = { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, name: { type: 'string' } } }
server.post('/body', { schema: { body } }, (request) => request.body)
await serve(server, { hostname: '127.0.0.1' })
console.log(server.listeningOrigin)`

const hono = (start) => `
import { Hono } from 'hono'
const app = new Hono()
app.get('/hello', (c) => c.json({ hello: 'world' }))
app.post('/body', async (c) => c.json(await c.req.json()))
${start}`

const bunStart = `const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: app.fetch })\nconsole.log(server.url.origin)`
const denoStart = `const server = Deno.serve({ port: 0, hostname: '127.0.0.1', onListen() {} }, app.fetch)\nconsole.log('http://127.0.0.1:' + server.addr.port)`

const elysia = (start) => `
import { Elysia, t } from 'elysia'
const app = new Elysia()
  .get('/hello', () => ({ hello: 'world' }))
  .post('/body', ({ body }) => body, { body: t.Object({ id: t.Integer(), name: t.String() }) })
${start}`

const elysiaStart = `app.listen({ port: 0, hostname: '127.0.0.1' })\nconsole.log('http://127.0.0.1:' + app.server.port)`

const servers = [
  { name: 'alcove', runtime: 'bun', text: alcove('bun') },
  { name: 'Hono', runtime: 'bun', text: hono(bunStart) },
  { name: 'Elysia', runtime: 'bun', text: elysia(elysiaStart) },
  { name: 'alcove', runtime: 'deno', text: alcove('deno') },
  { name: 'Hono', runtime: 'deno', text: hono(denoStart) },
  // Elysia's own `listen` is of Bun; its `fetch` runs on Deno.
  { name: 'Elysia', runtime: 'deno', text: elysia(denoStart) },
]

const payload = '{"id":1,"name":"Ada"}'
const requests = {
  hello: 'GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n',
  body: `POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${payload.length}\r\n\r\n${payload}`,
}

/** CPU time of a process so far, in µs (Linux). */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

async function load(origin, request, count) {
  const { hostname, port } = new URL(origin)
  let left = count
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(Number(port), hostname)
      let text = ''
      await new Promise((resolve, reject) => {
        const next = () => (left-- > 0 ? socket.write(request) : resolve())
        socket.on('connect', next).on('error', reject)
        socket.on('data', (chunk) => {
          text += chunk.toString('latin1')
          const end = text.indexOf('\r\n\r\n')
          const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
          if (end === -1 || text.length < end + 4 + length) return
          if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(text))
          text = ''
          next()
        })
      })
      socket.destroy()
    }),
  )
}

function makeProject() {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-runtimes-bench-'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', dependencies: { alcove: '*', hono: '*', elysia: '*' } }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/alcove'))
  for (const name of ['hono', 'elysia']) symlinkSync(join(here, 'node_modules', name), join(folder, 'node_modules', name))
  return folder
}

async function start({ name, runtime, text }, folder) {
  const file = join(folder, `${name}-${runtime}.mjs`)
  writeFileSync(file, text)
  const args = runtime === 'deno' ? ['run', '--allow-all', '--node-modules-dir=manual', '--unstable-no-legacy-abort', file] : [file]
  const begin = performance.now()
  const child = spawn(join(here, 'node_modules/.bin', runtime), args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const [origin] = await once(createInterface({ input: child.stdout }), 'line')
  await load(origin, requests.hello, 1)
  return { child, origin, boot: performance.now() - begin }
}

/** The process that serves: the command of npm may be a parent of it. */
function servingProcess(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return children === '' ? pid : servingProcess(children.split(' ')[0])
}

const folder = makeProject()
try {
  const running = []
  for (const server of servers) running.push({ ...server, ...(await start(server, folder)), times: { hello: [], body: [] } })
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { child, origin, times } of running) {
      const pid = servingProcess(child.pid)
      for (const [name, request] of Object.entries(requests)) {
        const before = cpuOf(pid)
        await load(origin, request, REQUESTS)
        // The first round warms up.
        if (round > 0) times[name].push((cpuOf(pid) - before) / REQUESTS)
      }
    }
  }
  for (const { child } of running) child.kill('SIGKILL')
  record(
    'docs/how-to/bun-and-deno.md',
    'servers',
    ['bun', 'deno', 'hono', 'elysia'],
    [
      ['runtime', 'server', 'GET, µs of CPU', 'POST, µs of CPU', 'ms to the first reply'],
      ...running.map(({ name, runtime, times, boot }) => [
        runtime,
        name,
        median(times.hello).toFixed(1),
        median(times.body).toFixed(1),
        Math.round(boot),
      ]),
    ],
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
