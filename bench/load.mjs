/** The load generator, a process of its own: `closed` sends the next request when the last one is answered, `open` at given times. */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Latencies } from './latencies.mjs'
import { OpenLoad } from './open-load.mjs'
import { slotsOf } from './transports.mjs'
import { workloadOf } from './workloads.mjs'

const [port, workload, transport = 'keep-alive'] = process.argv.slice(2)
/** Of a workload, or in a file. */
const requests = workload.endsWith('.json') ? JSON.parse(readFileSync(workload, 'utf8')) : workloadOf(workload).requests
const makeSlot = await slotsOf(transport, port, requests)
const slots = []

async function reserve(count) {
  while (slots.length < count) {
    const batch = Array.from({ length: Math.min(100, count - slots.length) }, () => makeSlot().ready())
    slots.push(...(await Promise.all(batch)))
  }
}

/** Keeps `connections` busy for a time, and until at least so many requests are answered. */
async function closed({ connections = 32, seconds, least = 0 }) {
  await reserve(connections)
  const used = slots.slice(0, connections)
  const latencies = new Latencies()
  const cpu = process.cpuUsage()
  const start = performance.now()
  const end = start + seconds * 1000
  let failed = 0
  await Promise.all(
    used.map(
      (slot) =>
        new Promise((resolve) => {
          const send = () => {
            const sent = performance.now()
            slot.send((isAnswered) => {
              const now = performance.now()
              if (isAnswered) latencies.add(now - sent)
              else failed += 1
              if (now < end || latencies.count < least) send()
              else resolve()
            })
          }
          send()
        }),
    ),
  )
  const took = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const answered = latencies.count
  if (failed > answered / 100) throw new Error(`${failed} of ${answered + failed} requests failed`)
  return { answered, perSecond: answered / took, ownCpu: (user + system) / answered, ...latencies.percentiles() }
}

async function open({ connections = 64, phases, ...clients }) {
  await reserve(connections)
  return new OpenLoad({ slots: slots.slice(0, connections), makeSlot, ...clients }).run(phases)
}

/** Opens connections, and leaves them idle after a request each, or waiting for an answer. */
async function hold({ connections, isBusy }) {
  await reserve(connections)
  const answers = slots.map((slot) => new Promise((resolve) => void slot.send(resolve)))
  if (!isBusy) await Promise.all(answers)
  await wait(1000)
  return { connections }
}

const questions = { closed, open, hold }

process.on('message', async ({ kind, ...question }) => {
  process.send(await questions[kind](question))
})
process.on('disconnect', () => process.exit())
process.send('ready')
