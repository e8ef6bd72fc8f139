/**
 * Measures the three applications, each in a process of its own with a database of its own, on the PostgreSQL server in TEST_DATABASE_URL.
 * Prints the results as JSON.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetchProbe } from '../check.mjs'
import { ask, start, stop } from '../processes.mjs'
import { median, spreadOf } from '../stats.mjs'
import { makeDatabases } from './data.mjs'
import { prepareLayer } from './layer.mjs'
import { login, mixed, operationsOf, refusedOf } from './operations.mjs'

const names = ['fastify', 'alcove', 'nest']
const CONNECTIONS = 16
const { runs, quick } = JSON.parse(process.argv[2])

Object.assign(process.env, { NODE_ENV: 'production', LOG_LEVEL: 'silent', RATE_LIMIT: '0', MAX_EVENT_LOOP_DELAY: '0', SEED: 'false' })
process.env['JWT_SECRET'] = 'a secret that only the measurement knows'

/** Times of writes and ids of new rows differ; their form does not. */
function comparable(value, isWritten) {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => {
      if (key === 'token' || (isWritten && key === 'id')) return typeof inner
      if (isWritten && (key === 'createdAt' || key === 'updatedAt')) return String(inner).replaceAll(/\d/g, '0')
      return inner
    }),
  )
}

/** Every request of every operation gets the same answer everywhere, and so does every request that is to be refused. */
async function checkAnswers(applications) {
  for (const [operation, requests] of Object.entries(applications[0].operations)) {
    // These are the requests of the others.
    if (operation === 'mixed') continue
    for (const index of requests.keys()) {
      let first
      for (const { name, port, operations } of applications) {
        const { status, type, body } = await fetchProbe(port, operations[operation][index])
        const answer = { status, type, body: comparable(body, operation.startsWith('POST')) }
        first ??= answer
        assert.equal(status, 200, `${name} answers ${operation} with ${status}: ${JSON.stringify(body)}`)
        assert.deepEqual(answer, first, `${name} answers ${operation} otherwise`)
      }
    }
  }
  for (const index of applications[0].refused.keys()) {
    for (const { name, port, refused } of applications) {
      const [request, status] = refused[index]
      const answer = await fetchProbe(port, request)
      assert.equal(answer.status, status, `${name} answers ${request.method} ${request.url} ${request.body} with ${answer.status}`)
      assert.equal(typeof answer.body.errors, 'object', `${name} refuses ${request.method} ${request.url} in another form`)
    }
  }
}

async function startApplication(name, url) {
  process.env['DATABASE_URL'] = url
  const { child, first: port } = await start('conduit/process.mjs', [name])
  const { body } = await fetchProbe(port, login)
  const { token } = body.user
  const operations = operationsOf(token)
  return { name, child, port, operations: { ...operations, mixed: mixed(operations) }, refused: refusedOf(token) }
}

async function measure({ child, port, operations }, operation, file) {
  writeFileSync(file, JSON.stringify(operations[operation]))
  const load = await start('load.mjs', [port, file])
  const closed = { kind: 'closed', connections: CONNECTIONS }
  await ask(load.child, { ...closed, seconds: quick ? 0.2 : 1.5 })
  const before = await ask(child, 'usage')
  const { answered, perSecond, p50, p99 } = await ask(load.child, { ...closed, seconds: quick ? 0.3 : 2.5 })
  const after = await ask(child, 'usage')
  await stop(load.child)
  return { cpu: ((after.cpu - before.cpu) * 1e6) / answered, perSecond, p50, p99 }
}

const directory = mkdtempSync(join(tmpdir(), 'alcove-bench-conduit-'))
try {
  prepareLayer()
  const urls = await makeDatabases(process.env['TEST_DATABASE_URL'], names)
  const found = {}
  const memory = Object.fromEntries(names.map((name) => [name, { started: [], loaded: [] }]))
  for (let run = 0; run < runs; run++) {
    const applications = []
    for (const name of names) {
      const application = await startApplication(name, urls[name])
      memory[name].started.push((await ask(application.child, 'usage')).rss)
      applications.push(application)
    }
    await checkAnswers(applications)
    for (const [at, operation] of Object.keys(applications[0].operations).entries()) {
      found[operation] ??= Object.fromEntries(names.map((name) => [name, []]))
      for (const index of applications.keys()) {
        const application = applications[(index + at + run) % applications.length]
        found[operation][application.name].push(await measure(application, operation, join(directory, 'requests.json')))
      }
    }
    for (const { name, child } of applications) {
      memory[name].loaded.push((await ask(child, 'usage')).rss)
      await stop(child)
    }
    console.error(`  run ${run + 1} of ${runs}`)
  }
  const summary = (results) => {
    const all = (key) => results.map((result) => result[key])
    return { cpu: spreadOf(all('cpu')), perSecond: spreadOf(all('perSecond')), p50: median(all('p50')), p99: median(all('p99')) }
  }
  const summaries = (byServer) => Object.fromEntries(Object.entries(byServer).map(([name, results]) => [name, summary(results)]))
  console.log(
    JSON.stringify({
      operations: Object.fromEntries(Object.entries(found).map(([operation, byServer]) => [operation, summaries(byServer)])),
      memory: Object.fromEntries(
        Object.entries(memory).map(([name, { started, loaded }]) => [name, { started: median(started), loaded: median(loaded) }]),
      ),
    }),
  )
} finally {
  rmSync(directory, { recursive: true, force: true })
}
