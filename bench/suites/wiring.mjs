/** What `check()` costs, and where the CPU time of requests goes: measurements of one process each. */
import { start, stop } from '../processes.mjs'
import { stageTimes } from '../report/profile.mjs'

export async function measureWiring() {
  // With a small young generation, a collection during the check would hide what it allocates.
  const { child, first } = await start('wiring.mjs', [], { execArgv: ['--expose-gc', '--max-semi-space-size=256'] })
  await stop(child)
  return { rows: first }
}

const PROFILES = 5

/** The profile of the process that took least: what others take more depends on the places of their objects. */
export async function profileOf(name, workload) {
  const profiles = []
  for (let run = 0; run < PROFILES; run++) {
    const { child, first } = await start('process.mjs', ['profile', name, workload, run])
    await stop(child)
    profiles.push(first)
  }
  return profiles.toSorted((one, other) => one.cpu / one.requests - other.cpu / other.requests)[0]
}

/** µs by stage of the programmatic server, and of classes in the workloads where they differ most. */
export async function measureProfiles() {
  const found = {}
  for (const [workload, names] of [
    ['hello', ['alcove']],
    ['query', ['alcove', 'classes']],
    ['body', ['alcove', 'classes']],
    ['scope', ['alcove', 'classes']],
  ]) {
    found[workload] = {}
    for (const name of names) found[workload][name] = Object.fromEntries(stageTimes(await profileOf(name, workload)))
  }
  return { workloads: found }
}
