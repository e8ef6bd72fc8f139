/**
 * Runs two replicas behind the nginx of deploy/nginx.conf, with one PostgreSQL (TEST_DATABASE_URL) and one Redis. Clients read and write
 * while replicas are stopped, killed and restarted. Afterwards every acknowledged write must be in the database.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { createDatabase } from './conduit.js'

const find = (name: string) =>
  [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin'].map((folder) => join(folder, name)).find((path) => existsSync(path))
const nginxPath = find('nginx')
const redisPath = find('redis-server')
if (nginxPath === undefined || redisPath === undefined) {
  console.error('\n!!! SKIPPED: there is no nginx or no Redis here; install them (Debian: nginx-light, redis-server).\n')
  process.exit(process.env['CI'] ? 1 : 0)
}

const main = fileURLToPath(new URL('../src/main.js', import.meta.url))
const config = fileURLToPath(new URL('../../deploy/nginx.conf', import.meta.url))
const CLIENTS = 24
const LIMIT = 10

const database = await createDatabase()
assert.ok(database, 'TEST_DATABASE_URL names a server')
const directory = await mkdtemp(join(tmpdir(), 'conduit-replicas-'))
const children = new Set<ChildProcess>()
const [nginxPort = 0, redisPort = 0, ...replicaPorts] = await freePorts(4)

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  for (const server of servers) server.close()
  return ports
}

function run(name: string, path: string, args: string[], environment: Record<string, string> = {}): ChildProcess {
  const log = openSync(join(directory, `${name}.log`), 'a')
  const child = spawn(path, args, { stdio: ['ignore', log, log], env: { PATH: process.env['PATH'], ...environment } })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

const readLog = (name: string): Promise<string> => readFile(join(directory, `${name}.log`), 'utf8')

const readAccesses = async (): Promise<string[]> => (await readFile(join(directory, 'access.log'), 'utf8')).split('\n')

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000
  while (!(await isSo().catch(() => false))) {
    assert.ok(Date.now() < end, `waited for too long: ${what}`)
    await wait(25)
  }
}

/** The shipped configuration, with other ports and paths. */
async function startNginx(): Promise<void> {
  let text = await readFile(config, 'utf8')
  const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/nginx-${name};`)
  for (const [part, replacement] of [
    ['pid /run/nginx.pid', `pid ${directory}/nginx.pid`],
    ['access_log /dev/stdout', `access_log ${directory}/access.log`],
    ['http {\n', `http {\n${scratch.join('\n')}\n`],
    ['listen 8080', `listen 127.0.0.1:${nginxPort}`],
    ['replica-1:3000', `127.0.0.1:${replicaPorts[0]}`],
    ['replica-2:3000', `127.0.0.1:${replicaPorts[1]}`],
  ] as const) {
    assert.ok(text.includes(part), `nginx.conf has no ${part}`)
    text = text.replaceAll(part, replacement)
  }
  const path = join(directory, 'nginx.conf')
  await writeFile(path, text)
  const user = process.getuid?.() === 0 ? 'user root; ' : ''
  run('nginx', nginxPath!, ['-p', directory, '-e', 'stderr', '-c', path, '-g', `${user}daemon off;`])
  await until('nginx listens', async () => (await send('GET', '/metrics')).status === 404)
}

async function startRedis(): Promise<ChildProcess> {
  const folder = join(directory, 'redis')
  await mkdir(folder, { recursive: true })
  return run('redis', redisPath!, ['--port', String(redisPort), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'])
}

interface Replica {
  readonly name: string
  readonly port: number
  child: ChildProcess
}

async function startReplica(replica: Omit<Replica, 'child'>, environment: Record<string, string> = {}): Promise<Replica> {
  const child = run(replica.name, process.execPath, [main], {
    NODE_ENV: 'production',
    PORT: String(replica.port),
    DATABASE_URL: database!.url,
    REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    JWT_SECRET: 'a secret that all of the replicas share',
    TRUST_PROXY: '127.0.0.1',
    RATE_LIMIT: '0',
    MAX_EVENT_LOOP_DELAY: '0',
    ...environment,
  })
  await until(`${replica.name} is ready`, async () => {
    if (child.exitCode !== null) assert.fail(await readLog(replica.name))
    return (await send('GET', '/readyz', { port: replica.port })).status === 200
  })
  return { ...replica, child }
}

/** @returns the time it took */
async function end({ child }: Replica, signal: NodeJS.Signals): Promise<number> {
  const start = Date.now()
  child.kill(signal)
  const [code] = (await once(child, 'exit')) as [number | null]
  if (signal === 'SIGTERM') assert.equal(code, 0, 'it ends in good order')
  return Date.now() - start
}

/** The parts of the replies that the test reads. */
interface Body {
  user: { token: string }
  article: { slug: string }
  comment: { id: number }
}

interface Answer {
  status: number
  body: Body
  headers: Record<string, string | string[] | undefined>
}

interface SendOptions {
  token?: string
  payload?: object
  agent?: Agent
  port?: number
  from?: string
  headers?: Record<string, string>
}

function send(method: string, path: string, { token, payload, agent, port = nginxPort, from, headers }: SendOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent,
      localAddress: from,
      headers: { ...headers, ...(token && { authorization: `Token ${token}` }), ...(payload && { 'content-type': 'application/json' }) },
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.once('error', reject)
      response.once('end', () => {
        const isJson = response.headers['content-type']?.includes('json')
        resolve({ status: response.statusCode!, body: (isJson ? JSON.parse(text) : text) as Body, headers: response.headers })
      })
    })
    sent.end(payload && JSON.stringify(payload))
  })
}

/** Acknowledged writes (2xx), and writes that were only requested, which may or may not be in the database. */
const acknowledged = { articles: new Set<string>(), comments: new Set<string>(), favorites: new Set<string>(), deleted: new Set<string>() }
/** By slug: the acknowledged description, and those that were requested since. */
const descriptions = new Map<string, Set<string>>()
const counts = { requests: 0, writes: 0, failures: [] as string[] }
const state = { isLoading: true, serial: 0 }

/** A client with one connection that sends one request after the other; about half of them write. */
async function load(user: { username: string; token: string }, shared: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { token, username } = user

  async function ask(method: string, path: string, status: number, payload?: object): Promise<Body | undefined> {
    counts.requests += 1
    const started = performance.now()
    const fail = (what: unknown): undefined => {
      counts.failures.push(`${method} ${path}: ${String(what)} after ${Math.round(performance.now() - started)} ms`)
    }
    try {
      const answer = await send(method, path, { token, agent, ...(payload && { payload }) })
      if (answer.status !== status) return fail(`${answer.status} ${JSON.stringify(answer.body)}`)
      if (method !== 'GET') counts.writes += 1
      return answer.body
    } catch (error) {
      return fail(error)
    }
  }

  while (state.isLoading) {
    const unique = `load ${(state.serial += 1)}`
    const written = await ask('POST', '/api/articles', 201, {
      article: { title: unique, description: 'new', body: 'Text', tagList: ['load'] },
    })
    if (written === undefined) continue
    const { slug } = written.article
    acknowledged.articles.add(unique)
    await ask('GET', '/api/articles?limit=5', 200)
    if (await ask('POST', `/api/articles/${shared}/comments`, 200, { comment: { body: unique } })) acknowledged.comments.add(unique)
    await ask('GET', `/api/articles/${slug}`, 200)
    if (await ask('POST', `/api/articles/${slug}/favorite`, 200)) acknowledged.favorites.add(`${slug} ${username}`)
    await ask('GET', '/api/user', 200)
    const known = new Set(['new'])
    descriptions.set(slug, known)
    for (const description of [`${unique} first`, `${unique} second`]) {
      known.add(description)
      if (await ask('PUT', `/api/articles/${slug}`, 200, { article: { description } })) {
        known.clear()
        known.add(description)
      }
    }
    await ask('GET', `/api/profiles/${username}`, 200)
    const comment = await ask('POST', `/api/articles/${slug}/comments`, 200, { comment: { body: `${unique} deleted` } })
    if (comment === undefined) continue
    const path = `/api/articles/${slug}/comments/${comment.comment.id}`
    if ((await ask('DELETE', path, 204)) !== undefined) acknowledged.deleted.add(`${unique} deleted`)
    await ask('GET', '/api/tags', 200)
  }
  agent.destroy()
}

/** Runs a part of the test under load, and reports the results of the clients. */
async function phase(name: string, act: () => Promise<string>): Promise<string[]> {
  const before = { ...counts, failures: counts.failures.length }
  const start = Date.now()
  const remark = await act()
  const failures = counts.failures.slice(before.failures)
  const seconds = (Date.now() - start) / 1000
  const requests = counts.requests - before.requests
  console.log(
    `${name}: ${failures.length} of ${requests} requests failed (${counts.writes - before.writes} writes acknowledged, ` +
      `${Math.round(requests / seconds)} requests/s); ${remark}`,
  )
  return failures
}

/** Compares the database with the answers to clients. @returns the number of lost and of duplicated acknowledged writes */
async function compare(): Promise<{ lost: string[]; twice: string[] }> {
  const client = new Client({ connectionString: database!.url })
  await client.connect()
  const read = async (query: string): Promise<string[]> => (await client.query<{ value: string }>(query)).rows.map(({ value }) => value)
  const found = {
    articles: await read('select title as value from articles'),
    comments: await read('select body as value from comments'),
    favorites: await read(
      `select slug || ' ' || username as value from favorites join articles on articles.id = article_id join users on users.id = user_id`,
    ),
  }
  const lost: string[] = []
  const twice: string[] = []
  for (const kind of ['articles', 'comments', 'favorites'] as const) {
    const present = new Set(found[kind])
    for (const value of acknowledged[kind]) if (!present.has(value)) lost.push(`${kind}: ${value}`)
    for (const value of present) {
      if (found[kind].length > present.size && found[kind].filter((other) => other === value).length > 1) twice.push(`${kind}: ${value}`)
    }
    assert.ok(acknowledged[kind].size > 100, `there was a load of ${kind}`)
  }
  for (const body of found.comments) if (acknowledged.deleted.has(body)) lost.push(`deletion of the comment: ${body}`)
  const { rows } = await client.query<{ slug: string; description: string }>('select slug, description from articles')
  for (const { slug, description } of rows) {
    if (descriptions.get(slug)?.has(description) === false) lost.push(`update of ${slug}: ${description}`)
  }
  await client.end()
  return { lost, twice }
}

/** `POST: 503` */
const kindOf = (failure: string): string => failure.replace(/ \/\S+:/, ':').replace(/ (\{.*)?after \d+ ms$/, '')

async function startTogether(environment: Record<string, string> = {}): Promise<[Replica, Replica]> {
  const started = await Promise.all(replicaPorts.map((port, index) => startReplica({ name: `replica-${index + 1}`, port }, environment)))
  return started as [Replica, Replica]
}

async function testLoad(first: Replica, second: Replica): Promise<[Replica, Replica]> {
  const users = await Promise.all(
    ['ada', 'grace', 'edsger', 'barbara'].map(async (username) => {
      const payload = { user: { username, email: `${username}@example.com`, password: 'conduit-demo' } }
      return { username, token: (await send('POST', '/api/users', { payload })).body.user.token }
    }),
  )
  const payload = { article: { title: 'Shared', description: 'By all', body: 'Text' } }
  const shared = (await send('POST', '/api/articles', { token: users[0]!.token, payload })).body.article.slug
  const clients = Array.from({ length: CLIENTS }, (_, index) => load(users[index % users.length]!, shared))
  await wait(1500)

  const afterTerm = await phase('SIGTERM', async () => {
    const took = await end(first, 'SIGTERM')
    await wait(500)
    first = await startReplica(first)
    await wait(1000)
    return `the replica ended in ${took} ms`
  })
  const afterKill = await phase('SIGKILL', async () => {
    await end(second, 'SIGKILL')
    await wait(1000)
    second = await startReplica(second)
    await wait(1000)
    return `${CLIENTS} clients, each with one request in flight`
  })
  const afterRolling = await phase('rolling restart', async () => {
    const start = Date.now()
    await end(first, 'SIGTERM')
    first = await startReplica(first)
    await end(second, 'SIGTERM')
    second = await startReplica(second)
    const took = Date.now() - start
    await wait(1000)
    return `both restarted in ${took} ms`
  })
  state.isLoading = false
  await Promise.all(clients)

  const { lost, twice } = await compare()
  const { articles, comments, favorites, deleted } = acknowledged
  console.log(
    `acknowledged: ${articles.size} articles, ${comments.size} comments, ${favorites.size} favorites, ${deleted.size} deletions, ` +
      `${descriptions.size} articles changed; lost: ${lost.length}, there twice: ${twice.length}`,
  )
  const kinds = new Map<string, number>()
  for (const failure of afterKill) kinds.set(kindOf(failure), (kinds.get(kindOf(failure)) ?? 0) + 1)
  for (const [kind, count] of kinds) console.log(`  failed on SIGKILL: ${count} × ${kind}`)
  assert.deepEqual({ afterTerm, afterRolling, lost, twice }, { afterTerm: [], afterRolling: [], lost: [], twice: [] })

  const served = await readAccesses()
  for (const { port } of [first, second]) {
    const share = served.filter((line) => line.includes(`"replica":"127.0.0.1:${port}`)).length / served.length
    assert.ok(share > 0.2, `each replica gets its share: ${share}`)
  }
  return [first, second]
}

async function testLimits(redis: ChildProcess): Promise<void> {
  const replicas = await startTogether({ RATE_LIMIT: String(LIMIT) })
  const ask = async (options: SendOptions = {}): Promise<number> =>
    (await send('GET', '/api/user', { from: '127.0.0.9', ...options })).status
  const statuses: number[] = []
  for (let count = 0; count <= LIMIT; count += 1) statuses.push(await ask())
  assert.deepEqual(statuses, [...Array.from({ length: LIMIT }, () => 401), 429], 'the replicas count together')
  const asked = (await readAccesses()).filter((line) => line.includes('"client":"127.0.0.9"'))
  for (const { port } of replicas) assert.ok(asked.filter((line) => line.includes(String(port))).length > LIMIT / 3, 'each was asked')
  for (const { port } of replicas) assert.equal(await ask({ port }), 429, 'each knows it')
  assert.equal(await ask({ headers: { 'x-forwarded-for': '203.0.113.1' } }), 429, 'nobody gets more by the name of somebody else')
  assert.equal(await ask({ from: '127.0.0.10' }), 401, 'other clients are not limited')

  redis.kill('SIGKILL')
  await once(redis, 'exit')
  const start = Date.now()
  for (let count = 0; count < 2 * LIMIT; count += 1) assert.equal(await ask(), 401, 'without Redis nobody is limited')
  const took = Date.now() - start
  assert.ok(took < 2000, `nor has to wait: ${took} ms`)
  await startRedis()
  await until('requests are counted again', async () => (await ask()) === 429)
  console.log(`limit of ${LIMIT}: request ${LIMIT + 1} through either replica is 429; without Redis ${2 * LIMIT} requests took ${took} ms`)
}

try {
  const redis = await startRedis()
  await startNginx()
  const unavailable = await send('GET', '/api/tags')
  assert.deepEqual([unavailable.status, Object.keys(unavailable.body), unavailable.headers['retry-after']], [503, ['errors'], '5'])

  const started = await startTogether()
  const logs = await Promise.all(started.map(({ name }) => readLog(name)))
  const migrated = logs.filter((log) => log.includes('migrations run: 0001-tables'))
  const waited = logs.filter((log) => log.includes('the tables are up to date'))
  assert.deepEqual([migrated.length, waited.length], [1, 1], 'of two that start at once on an empty database, one runs the migrations')
  console.log('two replicas started at once on an empty database: one ran the migrations')

  const replicas = await testLoad(...started)
  await Promise.all(replicas.map((replica) => end(replica, 'SIGTERM')))
  await testLimits(redis)
} catch (error) {
  const log = await readLog('nginx').catch(() => '')
  console.error(log.split('\n').slice(-20).join('\n'))
  throw error
} finally {
  for (const child of children) child.kill(child.spawnfile === nginxPath ? 'SIGTERM' : 'SIGKILL')
  await Promise.all([...children].map((child) => once(child, 'exit')))
  await database.drop()
  await rm(directory, { recursive: true, force: true })
}
