// `alcove new --api`: the API that it writes installs, passes the steps of its CI workflow, and serves out of the image of its Dockerfile.
// With TEST_DATABASE_URL (samples/conduit/tests/with-postgres.sh) on a PostgreSQL server too, with two replicas that start together.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parse } from 'yaml'
import { createApp, msUntilRestart, run } from './created-app.mjs'
import { replay } from './replay-dockerfile.mjs'

const started = performance.now()
const postgres = process.env['TEST_DATABASE_URL']
const { app, folder, dispose } = createApp('--api')
try {
  await replayWorkflow()
  checkFileOfVariables()
  const image = buildImage()
  checkCompose()
  if (postgres === undefined) console.log('!!! SKIPPED: there is no PostgreSQL here (TEST_DATABASE_URL); the API ran on PGlite only.')
  const url = postgres === undefined ? `pglite:${writableFolder()}` : await createDatabase('shop')
  const replicas = await Promise.all(Array.from({ length: postgres === undefined ? 1 : 2 }, () => start(image, url)))
  for (const replica of replicas) await useApi(replica)
  for (const replica of replicas) await stop(replica)
  const restart = await msUntilRestart(app)
  const seconds = Math.round((performance.now() - started) / 1000)
  console.log(
    `alcove new --api: installs, passes its workflow and serves out of its image; a change is served after ${restart} ms (${seconds} s)`,
  )
} finally {
  dispose()
}

/** The commands of the workflow's jobs, in order. */
async function replayWorkflow() {
  const { jobs } = parse(readFileSync(join(app, '.github/workflows/ci.yml'), 'utf8'))
  assert.deepEqual(Object.keys(jobs), ['test', 'image'])
  const steps = jobs.test.steps.filter(({ run: command }) => command !== undefined)
  assert.deepEqual(
    steps.map((step) => step.run),
    ['npm ci', 'npm run check', 'npm test', 'npm test', 'npm run build'],
  )
  for (const step of steps) {
    if (step.env !== undefined && postgres === undefined) continue
    const env = step.env === undefined ? {} : { DATABASE_URL: await createDatabase('workflow') }
    const printed = run(app, 'sh', ['-c', step.run], env)
    if (step.run === 'npm test') assert.match(printed, /pass 19\n[^]*fail 0\n/)
  }
}

function checkFileOfVariables() {
  writeFileSync(join(app, '.env.production'), 'DATABASE_ULR=postgres://db/shop\nJWT_SECRET=short\n')
  const { status, stderr } = spawnSync('npx', ['alcove', 'check', 'dist/app.js', '--env', '.env.production'], {
    cwd: app,
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  for (const part of [
    'has 3 faults',
    '.env.production:1: DATABASE_ULR',
    'Did you mean DATABASE_URL?',
    '.env.production:2: JWT_SECRET',
    'at least 32',
  ])
    assert.ok(stderr.includes(part), stderr)
}

function buildImage() {
  const dockerfile = join(folder, 'Dockerfile')
  const text = readFileSync(join(app, 'Dockerfile'), 'utf8')
  // alcove is packed here, so the install needs its file beside the manifest.
  writeFileSync(dockerfile, text.replace('COPY package.json package-lock.json ./', 'COPY package.json package-lock.json alcove.tgz ./'))
  const stages = join(folder, 'stages')
  run(folder, 'mkdir', ['stages'])
  const image = replay(dockerfile, app, stages)
  assert.deepEqual([image.image, image.user, image.port, image.stopSignal], ['node:24-slim', 'node', 3000, 'SIGTERM'])
  assert.deepEqual(readdirSync(image.directory).sort(), ['dist', 'migrations', 'node_modules', 'package.json'])
  const compiled = readdirSync(join(image.directory, 'dist'), { recursive: true })
  assert.ok(compiled.includes('alcove.build/index.mjs'), 'what was built ahead of time is in the image')
  assert.deepEqual(
    compiled.filter((file) => file.includes('test')),
    [],
  )
  assert.ok(!existsSync(join(image.directory, 'node_modules/typescript')), 'the compiler is not in the image')
  return image
}

/** What compose passes to the application is all that it needs. */
function checkCompose() {
  const { services } = parse(readFileSync(join(app, 'compose.yaml'), 'utf8'))
  const values = { POSTGRES_PASSWORD: 'secret', JWT_SECRET: 'x'.repeat(32) }
  const lines = Object.entries(services.app.environment).map(
    ([name, value]) => `${name}=${String(value).replaceAll(/\$\{(\w+):\?\}/g, (_all, variable) => values[variable])}`,
  )
  writeFileSync(join(folder, '.env.compose'), lines.join('\n'))
  assert.match(
    run(app, 'npx', ['alcove', 'check', 'dist/app.js', '--env', join(folder, '.env.compose')]),
    /has all variables that App needs/,
  )
}

function writableFolder() {
  const data = mkdtempSync(join(folder, 'data-'))
  chmodSync(data, 0o777)
  return join(data, 'shop')
}

async function createDatabase(name) {
  const { Client } = createRequire(join(app, 'package.json'))('pg')
  const client = new Client({ connectionString: postgres })
  await client.connect()
  await client.query(`create database ${name}`).finally(() => client.end())
  const url = new URL(postgres)
  url.pathname = name
  return url.href
}

/** Starts the command of the image with nothing but its own environment, as a user who may write nowhere. */
async function start({ command, healthCheck, directory, env }, url) {
  const port = String(await freePort())
  const own = { ...env, HOST: '127.0.0.1', PORT: port, DATABASE_URL: url, JWT_SECRET: 'x'.repeat(32) }
  const options = { cwd: directory, env: own, ...(process.getuid() === 0 && { uid: 1000, gid: 1000 }) }
  const [program, ...args] = command
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)))
  const origin = `http://127.0.0.1:${port}`
  const isHealthy = () => spawnSync(healthCheck[0], healthCheck.slice(1), options).status === 0
  const end = performance.now() + 60_000
  while (!isHealthy()) {
    assert.ok(child.exitCode === null && performance.now() < end, output)
    await wait(100)
  }
  return { child, origin, output: () => output, exit: once(child, 'exit') }
}

async function stop({ child, exit, output }) {
  child.kill('SIGTERM')
  const [code] = await exit
  assert.equal(code, 0, output())
  assert.ok(!output().includes('a long password') && !/Bearer [\w-]+\./.test(output()), 'the log has no secrets')
}

async function useApi({ origin, output }) {
  const send = async (method, path, body, token) => {
    const response = await fetch(origin + path, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    return { status: response.status, type, body: type.includes('json') ? JSON.parse(text) : text }
  }
  assert.equal((await send('GET', '/health/ready')).status, 200, output())
  const page = await send('GET', '/docs')
  assert.ok(page.status === 200 && page.body.includes('swagger-ui'))

  const ada = { email: `ada-${process.hrtime.bigint()}@example.com`, password: 'a long password' }
  assert.equal((await send('POST', '/api/users', ada)).status, 201, output())
  const again = await send('POST', '/api/users', ada)
  assert.deepEqual([again.status, again.type], [409, 'application/problem+json; charset=utf-8'])
  const { token } = (await send('POST', '/api/users/login', ada)).body
  assert.equal((await send('GET', '/api/users/me', undefined, token)).body.email, ada.email)

  const refused = await send('POST', '/api/products', { name: 'Lamp', price: 2500, stock: 3 })
  assert.deepEqual([refused.status, refused.body.title], [401, 'Unauthorized'])
  const lamp = await send('POST', '/api/products', { name: 'Lamp', price: 2500, stock: 3 }, token)
  assert.equal(lamp.status, 201, output())
  const order = await send('POST', '/api/orders', { lines: [{ productId: lamp.body.id, quantity: 2 }] }, token)
  assert.deepEqual([order.status, order.body.total], [201, 5000])
  const tooMany = await send('POST', '/api/orders', { lines: [{ productId: lamp.body.id, quantity: 2 }] }, token)
  assert.deepEqual([tooMany.status, tooMany.body.productId], [409, lamp.body.id])

  const missing = await send('GET', '/api/products/2147483647')
  assert.deepEqual([missing.status, missing.type], [404, 'application/problem+json; charset=utf-8'])
  const invalid = await send('POST', '/api/products', { name: 'Lamp', price: 1.5, stock: 3 }, token)
  assert.deepEqual([invalid.status, invalid.body.errors[0].pointer], [400, '/price'])
  // PostgreSQL takes no NUL in a text.
  assert.equal((await send('POST', '/api/products', { name: 'a\0b', price: 1, stock: 3 }, token)).status, 400)
  assert.equal((await send('POST', '/api/users', { ...ada, email: 'a\0b@example.com' })).status, 400)
}

async function freePort() {
  const { createServer } = await import('node:net')
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
