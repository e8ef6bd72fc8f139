/** Where the CPU time of requests goes. */
import { inTurn, start, stop } from '../processes.mjs'
import { stageTimes } from '../report/profile.mjs'
import { mapServers } from './requests.mjs'

const RUNS = 5

/** The workloads, with classes where they differ most from the programmatic server. */
const cases = Object.entries({
  hello: ['alcove'],
  query: ['alcove', 'classes'],
  body: ['alcove', 'classes'],
  scope: ['alcove', 'classes'],
  list: ['alcove'],
  contexts: ['alcove'],
  routes: ['alcove'],
}).map(([key, servers]) => ({ key, servers, runs: RUNS }))

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
  const found = await inTurn([{ key: workload, servers: [name], runs: RUNS }], profile)
  return fastest(found[workload][name])
}

/** µs by stage. */
export async function measureProfiles() {
  const found = await inTurn(cases, profile)
  return { workloads: mapServers(found, (profiles) => Object.fromEntries(stageTimes(fastest(profiles)))) }
}
