/**
 * Under load: latencies at parts of Fastify's own limit, memory per connection, and the time to recover from an overload. The requests come
 * from load.mjs, on the other core.
 */
import { makeCertificate } from '../prepare.mjs'
import { ask, inTurn, start, stop } from '../processes.mjs'
import { median, spreadOf } from '../stats.mjs'
import { transports } from '../transports.mjs'
import { mapServers } from './requests.mjs'

const WORKLOAD = 'query'
const BASE = 'fastify'
/** Per cent of Fastify's limit. */
const parts = [50, 80, 100]
/** p99 of a tenth of a second, in ms, up to which a server counts as recovered; so many of them in succession. */
const RECOVERED = { p99: 10, windows: 5 }
const OVERLOAD = { times: 2, connections: 64, most: 2000, patience: 1000 }

async function withServer(name, { workload = WORKLOAD, transport = 'keep-alive', execArgv = [] }, measure) {
  const server = await start('process.mjs', ['sockets', name, workload, transports[transport].protocol], { execArgv })
  const load = await start('load.mjs', [server.first, workload, transport])
  const found = await measure(server.child, (question) => ask(load.child, question))
  await stop(load.child, server.child)
  return found
}

const connectionsOf = (transport) => (transport === 'h2' ? 100 : 64)

/** The requests per second that a server answers if it is never idle, and what the load generator itself needs for one. */
function findLimit(name, transport, { quick }) {
  return withServer(name, { transport }, async (_server, load) => {
    const closed = { kind: 'closed', connections: connectionsOf(transport) }
    await load({ ...closed, seconds: quick ? 0.5 : 2 })
    return load({ ...closed, seconds: quick ? 0.5 : 3 })
  })
}

function measureLatency(name, transport, perSecond, { quick }) {
  return withServer(name, { transport }, async (server, load) => {
    const connections = connectionsOf(transport)
    await load({ kind: 'closed', connections, seconds: quick ? 0.3 : 2 })
    const before = await ask(server, 'usage')
    const [found] = await load({ kind: 'open', connections, phases: [{ perSecond, seconds: quick ? 0.5 : 6 }] })
    const after = await ask(server, 'usage')
    const { p50, p99, p999, late, answered } = found
    return { p50, p99, p999, late: late.p99, cpu: ((after.cpu - before.cpu) * 1e6) / answered, rss: after.rss }
  })
}

async function measureLatencies(names, options) {
  const runs = options.runs ?? (options.quick ? 1 : 3)
  const found = {}
  for (const transport of Object.keys(transports)) {
    console.error(`  ${transport}`)
    const limits = await inTurn([{ key: transport, servers: names, runs }], (name) => findLimit(name, transport, options))
    const limit = median(limits[transport][BASE].map(({ perSecond }) => perSecond))
    const cases = parts.map((part) => ({ key: String(part), servers: names, runs }))
    const rates = await inTurn(cases, (name, part) => measureLatency(name, transport, (limit * part) / 100, options))
    found[transport] = {
      limits: mapServers(limits, (results) => spreadOf(results.map(({ perSecond }) => perSecond)))[transport],
      generatorLimit:
        1e6 /
        median(
          Object.values(limits[transport])
            .flat()
            .map(({ ownCpu }) => ownCpu),
        ),
      parts: mapServers(rates, summary),
    }
  }
  return found
}

function summary(results) {
  const all = (key) => results.map((result) => result[key])
  return {
    p50: spreadOf(all('p50')),
    p99: spreadOf(all('p99')),
    p999: spreadOf(all('p999')),
    late: median(all('late')),
    cpu: spreadOf(all('cpu')),
    rss: median(all('rss')),
  }
}

/** Bytes of a connection: of the heap, after a garbage collection, and of the process. */
function measureConnections(name, { isBusy, quick }) {
  const connections = quick ? 200 : 2000
  return withServer(name, { workload: isBusy ? 'wait' : WORKLOAD, execArgv: ['--expose-gc'] }, async (server, load) => {
    const before = await ask(server, 'memory')
    await load({ kind: 'hold', connections, isBusy })
    const after = await ask(server, 'memory')
    return { heap: (after.heap - before.heap) / connections, rss: (after.rss - before.rss) / connections }
  })
}

async function measureMemory(names, options) {
  console.error('  connections')
  const cases = ['idle', 'busy'].map((key) => ({ key, servers: names, runs: options.runs ?? (options.quick ? 1 : 3) }))
  const found = await inTurn(cases, (name, key) => measureConnections(name, { isBusy: key === 'busy', quick: options.quick }))
  return mapServers(found, (results) => ({ heap: median(results.map(({ heap }) => heap)), rss: median(results.map(({ rss }) => rss)) }))
}

/** Twice Fastify's limit for ten seconds, then half of it. */
function measureOverload(name, limit, { quick }) {
  const seconds = quick ? 1 : 10
  const { times, ...clients } = OVERLOAD
  return withServer(name, {}, async (server, load) => {
    await load({ kind: 'closed', connections: clients.connections, seconds: quick ? 0.3 : 2 })
    const phases = [
      { perSecond: limit * times, seconds },
      { perSecond: limit / 2, seconds },
    ]
    const [overload, after] = await load({ kind: 'open', ...clients, phases })
    const { rss } = await ask(server, 'usage')
    return { answered: overload.answered / overload.due, perSecond: overload.answered / seconds, recovery: recoveryOf(after.windows), rss }
  })
}

/** Seconds after the overload; `null` if the server did not recover while it was measured. */
function recoveryOf(windows) {
  const isGood = ({ p99, gaveUp, answered }) => gaveUp === 0 && answered > 0 && p99 <= RECOVERED.p99
  const at = windows.findIndex((_, index) => {
    const next = windows.slice(index, index + RECOVERED.windows)
    return next.length === RECOVERED.windows && next.every(isGood)
  })
  return at === -1 ? null : at / 10
}

async function measureRecovery(names, limit, options) {
  console.error('  overload')
  const found = await inTurn([{ key: 'overload', servers: names, runs: options.runs ?? (options.quick ? 1 : 3) }], (name) =>
    measureOverload(name, limit, options),
  )
  return mapServers(found, (results) => ({
    answered: median(results.map(({ answered }) => answered)),
    perSecond: median(results.map(({ perSecond }) => perSecond)),
    // A server that did not recover once did not recover.
    recovery: results.some(({ recovery }) => recovery === null) ? null : median(results.map(({ recovery }) => recovery)),
    rss: median(results.map(({ rss }) => rss)),
  })).overload
}

export async function measureLoad(options) {
  makeCertificate()
  const names = ['fastify', 'alcove']
  const latencies = await measureLatencies(names, options)
  return {
    workload: WORKLOAD,
    overloadTimes: OVERLOAD.times,
    recoveredAt: RECOVERED,
    transports: latencies,
    connections: await measureMemory(names, options),
    overload: await measureRecovery(names, latencies['keep-alive'].limits[BASE].median, options),
  }
}
