/**
 * What an invocation of AWS Lambda costs: the start of a process up to its first reply, and the CPU time of an invocation on a loaded
 * function, for alcove beside `@fastify/aws-lambda` and Hono's adapter. Each in processes of its own, in turn. Prints a table; the figures
 * are in bench/README.md. `node tests/runtimes/lambda.mjs` after `npm run build:all` and `npm ci --prefix tests/runtimes`.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../..')
const STARTS = 9

const routes = `
const schema = {
  params: { type: 'object', properties: { id: { type: 'integer' } } },
  response: { 200: { type: 'object', properties: { id: { type: 'integer' } } } },
}
server.get('/users/:id', { schema }, (request) => request.params)`
const alcove = (adapter) => `
import { createServer } from 'alcove/lib'
${adapter}
const server = createServer()
${routes}`

const functions = {
  'alcove/lambda': `${alcove("import { handler } from 'alcove/lambda'")}\nexport const handle = handler(server)`,
  'alcove by @fastify/aws-lambda': `${alcove("import adapt from '@fastify/aws-lambda'")}\nawait server.ready()\nexport const handle = adapt(server, { decorateRequest: false })`,
  'Fastify by @fastify/aws-lambda': `
import Fastify from 'fastify'
import adapt from '@fastify/aws-lambda'
const server = Fastify()
${routes}
await server.ready()
export const handle = adapt(server, { decorateRequest: false })`,
  'Hono by hono/aws-lambda': `
import { Hono } from 'hono'
import { handle as adapt } from 'hono/aws-lambda'
const app = new Hono()
app.get('/users/:id', (c) => c.json({ id: Number(c.req.param('id')) }))
export const handle = adapt(app)`,
}

/** Measures one function in its process: prints ms of wall and of CPU up to the first reply, and ms of CPU of 95 % of 100 later invocations. */
const measure = `
const event = { version: '2.0', rawPath: '/users/7', rawQueryString: '', headers: { host: 'a.example' }, isBase64Encoded: false,
  requestContext: { domainName: 'a.example', http: { method: 'GET', path: '/users/7', sourceIp: '192.0.2.1' } } }
const { handle } = await import(process.argv[2])
const invoke = async () => { if ((await handle(event, {})).body !== '{"id":7}') throw new Error('another reply') }
await invoke()
const wall = performance.now()
const { user, system } = process.cpuUsage()
const times = []
for (let index = 0; index < 100; index++) {
  const start = process.cpuUsage()
  await invoke()
  const used = process.cpuUsage(start)
  times.push((used.user + used.system) / 1000)
}
console.log(JSON.stringify([wall, (user + system) / 1000, times.sort((a, b) => a - b)[94]]))
process.exit()`

const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

const folder = mkdtempSync(join(tmpdir(), 'alcove-lambda-'))
try {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  mkdirSync(join(folder, 'node_modules/@fastify'), { recursive: true })
  symlinkSync(root, join(folder, 'node_modules/alcove'))
  for (const name of ['hono', 'fastify', '@fastify/aws-lambda'])
    symlinkSync(join(here, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'measure.mjs'), measure)
  const files = Object.entries(functions).map(([name, text], index) => {
    writeFileSync(join(folder, `${index}.mjs`), text)
    return { name, file: join(folder, `${index}.mjs`), runs: [] }
  })
  for (let start = 0; start < STARTS; start++) {
    for (const { file, runs } of files) {
      const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'measure.mjs'), file], { encoding: 'utf8' })
      if (stdout === '') throw new Error(stderr)
      runs.push(JSON.parse(stdout))
    }
  }
  console.log(
    '| function | ms to the first reply | ms of CPU to the first reply | ms of CPU of an invocation, p95 of 100 |\n| --- | --- | --- | --- |',
  )
  for (const { name, runs } of files) {
    const [wall, cpu, p95] = [0, 1, 2].map((index) => middle(runs.map((run) => run[index])))
    console.log(`| ${name} | ${Math.round(wall)} | ${Math.round(cpu)} | ${p95.toFixed(2)} |`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
