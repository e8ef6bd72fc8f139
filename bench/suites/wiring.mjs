/** What `check()` costs, and where the CPU time of requests goes: measurements of one process each. */
import { start, stop } from '../processes.mjs'
import { stageTimes } from '../report/profile.mjs'

export async function measureWiring() {
  // With a small young generation, a collection during the check would hide what it allocates.
  const { child, first } = await start('wiring.mjs', [], { execArgv: ['--expose-gc', '--max-semi-space-size=256'] })
  await stop(child)
  return { rows: first }
}

const RUNS = 5

async function profile(name, workload, run) {
  const { child, first } = await start('process.mjs', ['profile', name, workload, run])
  await stop(child)
  return first
}

/** The profile of the process that took least: what others take more depends on the places of their objects. */
function fastest(profiles) {
  return profiles.toSorted((one, other) => one.cpu / one.requests - other.cpu / other.requests)[0]
}

export async function profileOf(name, workload) {
  const profiles = []
  for (let run = 0; run < RUNS; run++) profiles.push(await profile(name, workload, run))
  return fastest(profiles)
}

/** µs by stage of the programmatic server, and of classes in the workloads where they differ most; by turns, as the machine's speed may change. */
export async function measureProfiles() {
  const columns = [
    'hello alcove',
    'query alcove',
    'query classes',
    'body alcove',
    'body classes',
    'scope alcove',
    'scope classes',
    'list alcove',
    'contexts alcove',
    'routes alcove',
  ]
    .map((column) => column.split(' '))
    .map(([workload, name]) => ({ workload, name, profiles: [] }))
  for (let run = 0; run < RUNS; run++) for (const { workload, name, profiles } of columns) profiles.push(await profile(name, workload, run))
  const workloads = {}
  for (const { workload, name, profiles } of columns) (workloads[workload] ??= {})[name] = Object.fromEntries(stageTimes(fastest(profiles)))
  return { workloads }
}
