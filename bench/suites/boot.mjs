/** From the start of a process until it listens, and until each route has been requested once. */
import { build } from '../builds.mjs'
import { inTurn, start, stop } from '../processes.mjs'
import { median, spreadOf } from '../stats.mjs'
import { mapServers } from './requests.mjs'

export async function measureBoot({ names, runs, quick }) {
  const keys = (quick ? [10, 100] : [10, 100, 1000]).flatMap((count) => [`${count} distinct`, `${count} equal`])
  if (names.includes('built')) for (const key of keys) build(key)
  const cases = keys.map((key) => ({ key, servers: names, runs: runs ?? (quick ? 1 : 3) }))
  const found = await inTurn(cases, async (name, key) => {
    const { child, first } = await start('process.mjs', ['boot', name, ...key.split(' ')])
    await stop(child)
    return first
  })
  const stage = (results) => ({
    cpu: spreadOf(results.map(({ cpu }) => cpu)),
    wall: median(results.map(({ wall }) => wall)),
    rss: median(results.map(({ rss }) => rss)),
  })
  return {
    cases: mapServers(found, (results) => ({
      listening: stage(results.map(({ listening }) => listening)),
      answered: stage(results.map(({ answered }) => answered)),
    })),
  }
}
