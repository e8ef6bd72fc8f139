/** What `check()` costs: a measurement of one process. */
import { start, stop } from '../processes.mjs'

export async function measureWiring() {
  // With a small young generation, a collection during the check would hide what it allocates.
  const { child, first } = await start('wiring.mjs', [], { execArgv: ['--expose-gc', '--max-semi-space-size=256'] })
  await stop(child)
  return { rows: first }
}
