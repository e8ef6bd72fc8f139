/** What `check()` costs, and where the CPU time of requests goes: measurements of one process each. */
import { start, stop } from '../processes.mjs'
import { stageTimes } from '../report/profile.mjs'

export async function measureWiring() {
  // With a small young generation, a collection during the check would hide what it allocates.
  const { child, first } = await start('wiring.mjs', [], { execArgv: ['--expose-gc', '--max-semi-space-size=256'] })
  await stop(child)
  return { rows: first }
}

export async function profileOf(name, workload) {
  const { child, first } = await start('process.mjs', ['profile', name, workload])
  await stop(child)
  return first
}

export async function measureProfiles() {
  const found = {}
  for (const workload of ['hello', 'body'])
    found[workload] = { stages: Object.fromEntries(stageTimes(await profileOf('alcove', workload))) }
  return { workloads: found }
}
