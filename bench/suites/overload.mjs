/**
 * An overload: more requests than Fastify can answer, from clients that give up after a second, then half of what it can answer. A server that
 * is overloaded so much may stay so: it reads requests whose clients have left, and answers too late again. Whether this happens is chance,
 * on both servers, so the runs that recovered are counted.
 */
import { ask, inTurn } from '../processes.mjs'
import { median } from '../stats.mjs'
import { BASE, findLimit, withServer, WORKLOAD } from './load.mjs'

/** p99 of a tenth of a second, in ms, up to which a server counts as recovered; so many of them in succession. */
const RECOVERED = { p99: 10, windows: 5 }
/** Twice the limit would be more than the generator can send. */
const TIMES = 1.5
const CLIENTS = { connections: 64, most: 2000, patience: 1000 }
const SECONDS = 10

function measureOverload(name, limit, quick) {
  const seconds = quick ? 1 : SECONDS
  return withServer(name, {}, async (server, load) => {
    await load({ kind: 'closed', connections: CLIENTS.connections, seconds: quick ? 0.3 : 2 })
    const phases = [
      { perSecond: limit * TIMES, seconds },
      { perSecond: limit / 2, seconds },
    ]
    const [overload, after] = await load({ kind: 'open', ...CLIENTS, phases })
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

function summary(results) {
  const recoveries = results.map(({ recovery }) => recovery).filter((recovery) => recovery !== null)
  return {
    answered: median(results.map(({ answered }) => answered)),
    perSecond: median(results.map(({ perSecond }) => perSecond)),
    runs: results.length,
    recovered: recoveries.length,
    recovery: recoveries.length === 0 ? null : median(recoveries),
    rss: median(results.map(({ rss }) => rss)),
  }
}

export async function measureRecovery({ quick, runs = quick ? 1 : 7 }) {
  const limits = []
  for (let run = 0; run < (quick ? 1 : 3); run++) limits.push((await findLimit(BASE, 'keep-alive', { quick })).perSecond)
  const limit = median(limits)
  const found = await inTurn([{ key: 'overload', servers: [BASE, 'alcove'], runs }], (name) => measureOverload(name, limit, quick))
  const servers = Object.fromEntries(Object.entries(found.overload).map(([name, results]) => [name, summary(results)]))
  return { workload: WORKLOAD, times: TIMES, seconds: SECONDS, limit, recoveredAt: RECOVERED, servers }
}
