/**
 * CPU per request of servers in process, in slices: all servers of a workload run at the same time in processes of their own, and answer
 * requests by turns, a slice of 25 ms each. A ratio is that of two slices of the same round, so a machine that becomes slower or faster
 * meanwhile changes both; the median of many ratios varies far less than that of separate runs. The servers are started several times,
 * because a process keeps the decisions of its compiler and the places of its objects.
 */
import { ask, start, stop } from './processes.mjs'
import { lowerBound, median, spreadOf } from './stats.mjs'

/** Seconds of CPU time before the first slice and in each slice. */
const full = { warmUp: 2.5, slice: 0.025, rounds: 40 }
const short = { warmUp: 0.7, slice: 0.01, rounds: 10 }

/**
 * @param {{ key: string, name: string, directory?: string }[]} servers by a key; the first is what the others are compared with
 * @param {{ runs: number, quick: boolean, execPath?: string, times?: typeof full, isEnough?: (found: object) => boolean }} options
 * `execPath`: another Node; `isEnough`: asked after each run with the figures so far, by key, ends the measurement before `runs`
 * @returns by key: `cpu` in µs per request, `ratio` and `rss` in bytes, each the median with the lowest and the highest of the processes;
 * of ten processes also what the ratio is surely above
 */
export async function measureSlices(workload, servers, { runs, quick, execPath, times = full, isEnough = () => false }) {
  const { warmUp, slice, rounds } = quick ? short : times
  const found = Object.fromEntries(servers.map(({ key }) => [key, { cpu: [], ratio: [], rss: [] }]))
  for (let run = 0; run < runs; run++) {
    const started = []
    // One after the other, and each run with another one first: they warm up without disturbing each other.
    for (const [at] of servers.entries()) {
      const { key, name, directory } = servers[(at + run) % servers.length]
      const { child } = await start('process.mjs', ['slices', name, workload, run, warmUp, slice], { directory, execPath })
      started.push({ key, child, slices: [] })
    }
    for (let round = 0; round < rounds; round++) {
      for (const server of round % 2 === 0 ? started : started.toReversed()) server.slices.push(await ask(server.child, 'slice'))
    }
    const base = started.find(({ key }) => key === servers[0].key).slices
    for (const { key, child, slices } of started) {
      found[key].cpu.push(median(slices))
      found[key].ratio.push(median(slices.map((cpu, round) => cpu / base[round])))
      found[key].rss.push((await ask(child, 'usage')).rss)
    }
    await stop(...started.map(({ child }) => child))
    if (isEnough(found)) break
  }
  return Object.fromEntries(
    Object.entries(found).map(([key, { cpu, ratio, rss }]) => [
      key,
      { cpu: spreadOf(cpu), ratio: { ...spreadOf(ratio), surelyAbove: lowerBound(ratio) }, rss: median(rss) },
    ]),
  )
}
