/**
 * A server process, for one server and one workload. `slices` measures itself without a network, slice by slice on demand; `sockets`
 * listens and says on demand what it has used; `boot` says what it took to listen, and to answer every route once more; `profile` and
 * `startup` say where the CPU went, of requests and of a boot.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { getHeapCodeStatistics, getHeapSpaceStatistics } from 'node:v8'
import { connect } from './driver.mjs'
import { selfTimes } from './report/profile.mjs'
import { inSources } from './report/sources.mjs'
import { startTimes } from './report/startup.mjs'
import { toBytes } from './requests.mjs'
import { loadServer } from './servers.mjs'
import { bootRequests, workloadOf } from './workloads.mjs'

const PROFILE_SECONDS = 3

const [mode, name, ...rest] = process.argv.slice(2)

const usage = () => {
  const { user, system } = process.cpuUsage()
  return { cpu: (user + system) / 1e6, wall: performance.now() / 1000, rss: process.memoryUsage.rss() }
}

/** What is left after a garbage collection; needs `--expose-gc`. */
function memory() {
  for (let round = 0; round < 3; round++) globalThis.gc()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, heap: heapUsed + external }
}

const answers = { usage, memory }

const kept = []

/**
 * Gives the process another heap than that of other runs: when V8 collects garbage, and what it finds then, decides how fast some code is
 * for the rest of the process. Without this a server would have the same heap in all its processes.
 */
function arrangeHeap(run) {
  for (let index = 0; index < run * 1300; index++) kept.push({ index })
}

/**
 * Connects to a server that is to be measured, when its boot is over. The boot leaves a garbage collection that still marks objects. Requests
 * that are answered meanwhile are all kept until it ends, so V8 takes objects of their kind for long-lived ones and allocates them among
 * its old objects for the rest of the process. In a third of the processes a small request then took 1.5 to 1.9 times as long. Over
 * sockets the first requests come later, and no process was like that.
 */
async function connectAfterBoot(workload) {
  const { serve } = await loadServer(name)
  const send = connect(await serve(workload), workloadOf(workload).requests.map(toBytes))
  await send(8)
  await setTimeout(100)
  return send
}

/** Takes CPU profiles, one after the other. */
async function openProfiler(interval) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval })
  return {
    start: () => session.post('Profiler.start'),
    stop: async () => (await session.post('Profiler.stop')).profile,
  }
}

/** Keeps a profile in a file, so that it is not in the memory that is measured. @returns a function that reads it */
function setAside(profile) {
  const directory = mkdtempSync(join(tmpdir(), 'alcove-profile-'))
  const file = join(directory, 'profile.json')
  writeFileSync(file, JSON.stringify(profile))
  return () => {
    const read = JSON.parse(readFileSync(file, 'utf8'))
    rmSync(directory, { recursive: true })
    return read
  }
}

/** Parts of the heap after a garbage collection, in bytes; needs `--expose-gc`. */
function heapParts() {
  const { heap } = memory()
  const large = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'large_object_space').space_used_size
  return { heap, large, bytecode: getHeapCodeStatistics().bytecode_and_metadata_size }
}

const modes = {
  async slices(workload, run, warmUp, sliceSeconds) {
    arrangeHeap(Number(run))
    const send = await connectAfterBoot(workload)
    // CPU time, not time: on a busy machine the compiler needs longer.
    const start = usage().cpu
    let cpuPerBatch = 0
    for (let sent = 0; sent < 300 || usage().cpu - start < warmUp; sent += 100) {
      const { cpu } = usage()
      await send(100)
      cpuPerBatch = (cpuPerBatch + usage().cpu - cpu) / 2
    }
    const count = Math.max(8, Math.round((100 * sliceSeconds) / cpuPerBatch))
    answers.slice = async () => {
      const { cpu } = usage()
      await send(count)
      return ((usage().cpu - cpu) * 1e6) / count
    }
    return 'ready'
  },

  async profile(workload, run) {
    arrangeHeap(Number(run))
    const send = await connectAfterBoot(workload)
    await send(30_000)
    const profiler = await openProfiler(100)
    const before = usage()
    await profiler.start()
    let requests = 0
    for (; usage().wall - before.wall < PROFILE_SECONDS; requests += 2000) await send(2000)
    const profile = await profiler.stop()
    return { times: selfTimes(inSources(profile)), requests, cpu: usage().cpu - before.cpu }
  },

  async startup(count, kind) {
    const requests = bootRequests(Number(count), kind).map(toBytes)
    const profiler = await openProfiler(200)
    await profiler.start()
    const { boot: start } = await loadServer(name)
    const loaded = usage()
    const server = await start(Number(count), kind)
    const listening = usage()
    const boot = setAside(await profiler.stop())
    await profiler.start()
    await connect(server, requests)(requests.length)
    const answered = usage()
    const first = setAside(await profiler.stop())
    const heap = heapParts()
    // Only now: the source maps would be in the memory that was measured.
    const timesOf = (readProfile) => startTimes(inSources(readProfile()))
    return { loaded, listening: { ...listening, times: timesOf(boot) }, answered: { ...answered, times: timesOf(first), ...heap } }
  },

  async sockets(workload, protocol) {
    const { serve } = await loadServer(name)
    const server = await serve(workload, protocol)
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
process.on('message', async (question) => process.send(await answers[question]()))
process.send(await modes[mode](...rest))
