/**
 * A server process, for one server, one workload, one run: `in-process` measures itself, `sockets` listens and says on demand what it
 * has used, `boot` says what it took to listen, and to answer every route once more;
 * `profile` says where the CPU went.
 */
import { Session } from 'node:inspector/promises'
import { connect } from './driver.mjs'
import { selfTimes } from './profile.mjs'
import { loadServer } from './servers.mjs'
import { bootRequests, toBytes, workloads } from './workloads.mjs'

const ROUNDS = 3
const PROFILE_SECONDS = 3

const [mode, name, ...rest] = process.argv.slice(2)

const usage = () => {
  const { user, system } = process.cpuUsage()
  return { cpu: (user + system) / 1e6, wall: performance.now() / 1000, rss: process.memoryUsage.rss() }
}

const modes = {
  async 'in-process'(workload, warmUp, roundSeconds) {
    const { serve } = await loadServer(name)
    const send = connect(await serve(workload), workloads[workload].requests.map(toBytes))
    const start = usage().wall
    for (let sent = 0; sent < 10_000 || (sent < 30_000 && usage().wall - start < warmUp); sent += 1000) await send(1000)
    const before = usage().wall
    await send(2000)
    const count = Math.ceil((2000 * roundSeconds) / (usage().wall - before))
    const rounds = []
    for (let round = 0; round < ROUNDS; round++) {
      const { cpu } = usage()
      await send(count)
      rounds.push(((usage().cpu - cpu) * 1e6) / count)
    }
    return rounds
  },

  async profile(workload) {
    const { serve } = await loadServer(name)
    const send = connect(await serve(workload), workloads[workload].requests.map(toBytes))
    await send(30_000)
    const session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 100 })
    const before = usage()
    await session.post('Profiler.start')
    let requests = 0
    for (; performance.now() / 1000 - before.wall < PROFILE_SECONDS; requests += 2000) await send(2000)
    const { profile } = await session.post('Profiler.stop')
    return { times: selfTimes(profile), requests, cpu: usage().cpu - before.cpu }
  },

  async sockets(workload) {
    const { serve } = await loadServer(name)
    const server = await serve(workload)
    process.on('message', () => process.send(usage()))
    return server.address().port
  },

  async boot(count, kind) {
    const requests = bootRequests(Number(count), kind).map(toBytes)
    const { boot } = await loadServer(name)
    const server = await boot(Number(count), kind)
    const listening = usage()
    await connect(server, requests)(requests.length)
    return { listening, answered: usage() }
  },
}

process.on('disconnect', () => process.exit())
process.send(await modes[mode](...rest))
