/** Where time and memory go from the start of a process until each route has been requested once. */
import { build } from '../builds.mjs'
import { inTurn, start, stop } from '../processes.mjs'

const RUNS = 3
const ROUTES = 1000

export async function measureStartup({ quick }) {
  const routes = quick ? 10 : ROUTES
  const key = `${routes} distinct`
  build(key)
  const cases = [{ key, servers: ['fastify', 'alcove', 'classes', 'built'], runs: quick ? 1 : RUNS }]
  const found = await inTurn(cases, async (name) => {
    const { child, first } = await start('process.mjs', ['startup', name, routes, 'distinct'], { execArgv: ['--expose-gc'] })
    await stop(child)
    return first
  })
  // The fastest: another process of the machine only adds time.
  const fastest = (runs) => runs.toSorted((one, other) => one.answered.wall - other.answered.wall)[0]
  return { routes, servers: Object.fromEntries(Object.entries(found[key]).map(([name, runs]) => [name, fastest(runs)])) }
}
