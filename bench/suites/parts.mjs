/** The cost per request of each part of alcove beside the plain route, in one run, without a network. */
import { parts } from '../parts.mjs'
import { measureSlices } from '../slices.mjs'
import { checkServers } from './requests.mjs'

/** All have one small route, which is compiled after a second. */
const times = { warmUp: 1, slice: 0.02, rounds: 20 }

export async function measureParts({ runs, quick }) {
  const servers = Object.keys(parts).map((key) => ({ key, name: `parts/${key}` }))
  await checkServers(
    'hello',
    servers.map(({ name }) => name),
  )
  return { parts: await measureSlices('hello', servers, { runs: runs ?? (quick ? 1 : 20), quick, times }) }
}
