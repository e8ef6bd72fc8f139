/** What a request without a socket costs: a measurement of one process. */
import { start, stop } from '../processes.mjs'

export async function measureFetch() {
  const { child, first } = await start('fetch.mjs', [])
  await stop(child)
  return { workloads: first }
}
