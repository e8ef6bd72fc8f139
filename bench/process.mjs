/** A server process: started by `run.mjs` for one server, one workload, one run. Answers on the IPC channel. */
import { connect } from './driver.mjs'
import { loadServer } from './servers.mjs'
import { toBytes, workloads } from './workloads.mjs'

const WARM_UP = { requests: 20_000, leastRequests: 3000, seconds: 1 }
const ROUND_SECONDS = 0.25
const ROUNDS = 3

const [mode, name, workload] = process.argv.slice(2)
const { serve } = await loadServer(name)
const server = await serve(workload)

/** ms */
const cpu = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** µs of CPU per request of each round. */
async function measureInProcess() {
  const requests = workloads[workload].requests.map(toBytes)
  const send = connect(server)
  const start = performance.now()
  let sent = 0
  while (sent < WARM_UP.requests && (sent < WARM_UP.leastRequests || performance.now() - start < WARM_UP.seconds * 1000)) {
    await send(requests, 1000)
    sent += 1000
  }
  const before = performance.now()
  await send(requests, 2000)
  const count = Math.ceil((2000 * ROUND_SECONDS * 1000) / (performance.now() - before))
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = cpu()
    await send(requests, count)
    rounds.push(((cpu() - start) * 1000) / count)
  }
  return { rounds, rss: process.memoryUsage.rss() }
}

if (mode === 'in-process') {
  process.send(await measureInProcess(), () => process.exit())
} else {
  process.on('message', () => process.send({ cpu: cpu(), rss: process.memoryUsage.rss() }))
  process.on('disconnect', () => process.exit())
  process.send({ port: server.address().port })
}
