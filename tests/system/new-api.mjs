// `alcove new --api`: the API that it writes installs, passes the steps of its CI workflow, and serves out of the image of its Dockerfile.
// With TEST_DATABASE_URL (samples/conduit/tests/with-postgres.sh) on a PostgreSQL server too, with two replicas that start together.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { losses, servePostgres } from '../fixtures/postgres-server.mjs'
import { createApp, msUntilRestart, run } from './created-app.mjs'
import { buildImage, sender, start, stop, writableDatabase } from './image.mjs'

const started = performance.now()
const postgres = process.env['TEST_DATABASE_URL']
const { app, folder, dispose } = createApp('--api')
try {
  await replayWorkflow()
  compareWithMain()
  checkRemarks()
  checkFileOfVariables()
  const image = buildImage(app, folder)
  assert.ok(existsSync(join(image.directory, 'dist/alcove.build/index.mjs')), 'what was built ahead of time is in the image')
  checkCompose()
  if (postgres === undefined) console.log('!!! SKIPPED: there is no PostgreSQL here (TEST_DATABASE_URL); the API ran on PGlite only.')
  const url = postgres === undefined ? writableDatabase(folder) : await createDatabase('shop')
  const replicas = await Promise.all(Array.from({ length: postgres === undefined ? 1 : 2 }, () => start(image, url)))
  for (const replica of replicas) await useApi(replica)
  for (const replica of replicas) await stop(replica)
  await loseConnections(image)
  const restart = await msUntilRestart(app)
  await changeVariables()
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
    if (step.run === 'npm test') assert.match(printed, /pass 24\n[^]*fail 0\n/)
  }
}

/** The command of the workflow for pull requests: it is silent about an equal document, and fails if a route is gone. */
function compareWithMain() {
  const { jobs } = parse(readFileSync(join(app, '.github/workflows/api-changes.yml'), 'utf8'))
  const command = jobs.diff.steps.at(-1).run
  const summary = join(folder, 'summary.md')
  const git = (...args) => run(app, 'git', ['-c', 'user.name=CI', '-c', 'user.email=ci@example.com', ...args])
  const compare = () => {
    const env = { ...process.env, BASE: 'main', GITHUB_STEP_SUMMARY: summary }
    const { status, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', command], { cwd: app, env, encoding: 'utf8' })
    assert.equal(stderr, '')
    return { status, text: readFileSync(summary, 'utf8') }
  }
  git('init', '--quiet', '--initial-branch', 'main')
  git('add', '.')
  git('commit', '--quiet', '--message', 'First')
  const equal = compare()
  assert.equal(equal.status, 0, equal.text)
  assert.match(equal.text, /^## Compatible with clients of today/)
  const file = join(app, 'openapi.json')
  const text = readFileSync(file, 'utf8')
  const { paths, ...document } = JSON.parse(text)
  const [[first], ...others] = Object.entries(paths)
  writeFileSync(file, JSON.stringify({ ...document, paths: Object.fromEntries(others) }))
  const broken = compare()
  writeFileSync(file, text)
  assert.equal(broken.status, 1, broken.text)
  assert.ok(broken.text.includes(`${first}\` | the route is gone, and was not deprecated`), broken.text)
}

/** A new application has nothing that a command remarks on. */
function checkRemarks() {
  const remarks = (...args) => spawnSync(join(app, 'node_modules/.bin/alcove'), args, { cwd: app, encoding: 'utf8' })
  assert.equal(remarks('openapi', 'dist/app.js', '--check', 'openapi.json').stderr, '')
  const { stdout, stderr } = remarks('check', 'dist/app.js', '--contract')
  assert.deepEqual([stdout, stderr], ['The wiring of App is correct.\n', ''])
}

/** `npm run dev` restarts with the new variables; those of before do not stay. */
async function changeVariables() {
  const file = join(app, '.env.development')
  const text = readFileSync(file, 'utf8')
  await msUntilRestart(app, () => writeFileSync(file, text.replace('pglite:.data', 'pglite:.data/of/another')))
  assert.ok(existsSync(join(app, '.data/of/another/PG_VERSION')))
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

/** A connection that is lost within a transaction fails its request; the process serves the next one, and ends as usual. */
async function loseConnections(image) {
  const { PGlite } = await import(pathToFileURL(createRequire(join(app, 'package.json')).resolve('@electric-sql/pglite')).href)
  const pglite = await PGlite.create()
  const server = await servePostgres(pglite)
  const replica = await start(image, server.url)
  const order = await seller(replica)
  for (const how of losses) {
    server.loseAt(/update products/, how)
    assert.deepEqual([await order(), await order()], [500, 201], `${how}\n${replica.output()}`)
  }
  await stop(replica)
  await server.stop()
  await pglite.close()
  if (postgres !== undefined) await terminateBackend(image)
}

async function terminateBackend(image) {
  const url = await createDatabase('terminated')
  const replica = await start(image, url)
  const order = await seller(replica)
  const admin = connect(url)
  await admin.connect()
  await admin.query('begin')
  await admin.query('select from products for update')
  const waiting = order()
  const terminate = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await admin.query(terminate)).rowCount === 0) await new Promise(setImmediate)
  assert.equal(await waiting, 500, replica.output())
  await admin.query('commit')
  assert.equal(await order(), 201, replica.output())
  await admin.end()
  await stop(replica)
}

/** Makes a product. The function orders one of it, in a transaction, and returns the status. */
async function seller({ origin, output }) {
  const send = sender(origin)
  const ada = { email: 'ada@example.com', password: 'a long password' }
  assert.equal((await send('POST', '/api/users', ada)).status, 201, output())
  const { token } = (await send('POST', '/api/users/login', ada)).body
  const { id } = (await send('POST', '/api/products', { name: 'Lamp', price: 2500, stock: 10 }, token)).body
  return async () => (await send('POST', '/api/orders', { lines: [{ productId: id, quantity: 1 }] }, token)).status
}

function connect(connectionString) {
  const { Client } = createRequire(join(app, 'package.json'))('pg')
  return new Client({ connectionString })
}

async function createDatabase(name) {
  const client = connect(postgres)
  await client.connect()
  await client.query(`create database ${name}`).finally(() => client.end())
  const url = new URL(postgres)
  url.pathname = name
  return url.href
}

async function useApi({ origin, output }) {
  const send = sender(origin)
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
