/** The load generator of one server process: keep-alive connections, each of which sends its next request when the last is answered. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { AnswerReader } from './answer.mjs'
import { toBytes, workloads } from './workloads.mjs'

const CONNECTIONS = 32

const [port, workload] = process.argv.slice(2)
const requests = workloads[workload].requests.map(toBytes)
let next = 0
let latencies = []
let end = 0
let least = 0
let finish
let busy = 0

async function open() {
  const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true }).setEncoding('latin1')
  const reader = new AnswerReader()
  let start = 0
  const send = () => {
    start = performance.now()
    socket.write(requests[next])
    next = next + 1 === requests.length ? 0 : next + 1
  }
  socket.on('data', (text) => {
    if (reader.add(text) === undefined) return
    const now = performance.now()
    latencies.push(now - start)
    if (now < end || latencies.length < least) return send()
    busy -= 1
    if (busy === 0) finish(now)
  })
  await once(socket, 'connect')
  return send
}

const senders = await Promise.all(Array.from({ length: CONNECTIONS }, open))

process.on('message', async ({ seconds, requests = 0 }) => {
  latencies = []
  least = requests
  const start = performance.now()
  end = start + seconds * 1000
  busy = senders.length
  const over = await new Promise((resolve) => {
    finish = resolve
    for (const send of senders) send()
  })
  latencies.sort((a, b) => a - b)
  const at = (part) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * part))]
  process.send({ answered: latencies.length, perSecond: latencies.length / ((over - start) / 1000), p50: at(0.5), p99: at(0.99) })
})
process.on('disconnect', () => process.exit())
process.send('ready')
