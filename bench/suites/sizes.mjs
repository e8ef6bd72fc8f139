/** How CPU and memory grow with what a request or an application has more of. */
import { curves } from '../curves.mjs'
import { measureSlices } from '../slices.mjs'
import { checkServers } from './requests.mjs'

const servers = ['fastify', 'alcove']

export async function measureSizes({ runs, quick }) {
  const found = {}
  for (const [curve, { sizes }] of Object.entries(curves)) {
    found[curve] = {}
    for (const size of sizes) {
      if (quick && size > 1000) continue
      console.error(`  ${curve} ${size}`)
      const workload = `${curve}:${size}`
      await checkServers(workload, servers)
      found[curve][size] = await measureSlices(
        workload,
        servers.map((name) => ({ key: name, name })),
        { runs: runs ?? (quick ? 1 : 3), quick },
      )
    }
  }
  return { curves: found }
}
