/**
 * Under load: latencies at parts of Fastify's own limit, and memory per connection. The requests come from load.mjs, on the other core.
 */
import { makeCertificate } from '../prepare.mjs'
import { ask, inTurn, start, stop } from '../processes.mjs'
import { median, spreadOf } from '../stats.mjs'
import { transports as allTransports } from '../transports.mjs'
import { mapServers } from './requests.mjs'

export const WORKLOAD = 'query'
export const BASE = 'fastify'
/** Per cent of Fastify's limit. */
const parts = [50, 80, 100]

/** Starts a server and a generator, and asks them. */
export async function withServer(name, { workload = WORKLOAD, transport = 'keep-alive', execArgv = [] }, measure) {
  const server = await start('process.mjs', ['sockets', name, workload, allTransports[transport].protocol], { execArgv })
  const load = await start('load.mjs', [server.first, workload, transport])
  const found = await measure(server.child, (question) => ask(load.child, question))
  await stop(load.child, server.child)
  return found
}

const connectionsOf = (transport) => (transport === 'h2' ? 100 : 64)

/** The requests per second that a server answers if it is never idle, and what the load generator itself needs for one. */
export function findLimit(name, transport, { quick }) {
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
  for (const transport of Object.keys(allTransports)) {
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

export async function measureLoad(options) {
  makeCertificate()
  const names = ['fastify', 'alcove']
  const transports = await measureLatencies(names, options)
  return { workload: WORKLOAD, transports, connections: await measureMemory(names, options) }
}
