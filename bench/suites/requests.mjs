/** CPU per request without a network, and the same servers over sockets. */
import { build } from '../builds.mjs'
import { checkBehaviour } from '../check.mjs'
import { ask, inTurn, start, stop } from '../processes.mjs'
import { measureSlices } from '../slices.mjs'
import { median, spreadOf } from '../stats.mjs'
import { workloads } from '../workloads.mjs'

const BASE = 'fastify'

function serversOf(workload, names) {
  return names.filter((name) => workloads[workload].servers?.includes(name) ?? true)
}

/** All servers of a workload answer its probes alike. */
export async function checkServers(workload, names) {
  const started = await Promise.all(names.map(async (name) => [name, await start('process.mjs', ['sockets', name, workload])]))
  await checkBehaviour(workload, Object.fromEntries(started.map(([name, { first }]) => [name, first])))
  await stop(...started.map(([, { child }]) => child))
}

export async function measureRequests({ only, names, runs, quick }) {
  const found = {}
  for (const workload of only) {
    console.error(`  ${workload}`)
    const used = serversOf(workload, names)
    if (used.includes('built')) build(workload)
    await checkServers(workload, used)
    const baseFirst = [...used.filter((name) => name === BASE), ...used.filter((name) => name !== BASE)]
    found[workload] = await measureSlices(
      workload,
      baseFirst.map((name) => ({ key: name, name })),
      { runs: runs ?? (quick ? 1 : 6), quick },
    )
  }
  return { workloads: found }
}

/** @param options `execPath`: another Node for the servers; the requests come from this one */
export async function measureSockets({ only, names, runs, quick, execPath }) {
  const cases = only.map((key) => ({
    key,
    // A build changes the boot, and no request after the first.
    servers: serversOf(key, names).filter((name) => name !== 'built'),
    runs: runs ?? (quick ? 1 : 3),
  }))
  const found = await inTurn(cases, async (name, workload) => {
    const server = await start('process.mjs', ['sockets', name, workload], { execPath })
    const load = await start('load.mjs', [server.first, workload])
    await ask(load.child, { kind: 'closed', seconds: 0.4, least: quick ? 1000 : 15_000 })
    const before = await ask(server.child, 'usage')
    const { answered, perSecond, p50, p99 } = await ask(load.child, { kind: 'closed', seconds: quick ? 0.3 : 1 })
    const after = await ask(server.child, 'usage')
    await stop(load.child, server.child)
    return { perSecond, p50, p99, cpu: ((after.cpu - before.cpu) * 1e6) / answered, rss: after.rss }
  })
  const summary = (results) => {
    const all = (key) => results.map((result) => result[key])
    return {
      cpu: spreadOf(all('cpu')),
      perSecond: spreadOf(all('perSecond')),
      p50: median(all('p50')),
      p99: median(all('p99')),
      rss: median(all('rss')),
    }
  }
  return { workloads: mapServers(found, summary) }
}

/** Applies `change` to the results of each server of each case. */
export function mapServers(found, change) {
  return Object.fromEntries(
    Object.entries(found).map(([key, byServer]) => [
      key,
      Object.fromEntries(Object.entries(byServer).map(([name, results]) => [name, change(results)])),
    ]),
  )
}
