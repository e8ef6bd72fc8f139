/**
 * A long run of mixed faults and slow clients against the server of app.ts, over HTTP/1: complete requests, aborts at random places, bodies
 * that trickle or stop, replies that are not taken, pipelines, upgrades, bytes that are not HTTP, and clients that leave quiet replies behind.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { quiet } from '../fixtures/departures.js'
import { kinds as departures } from './departures.js'

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const SLOW = 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n'
const BIG = 'GET /big HTTP/1.1\r\nHost: a\r\n\r\n'
const POST = 'POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}'

const below = (limit: number): number => Math.floor(Math.random() * limit)

/** Waits for bytes, but not for ever: some of these requests are never answered. */
const answered = (socket: Socket): Promise<unknown> => Promise.race([once(socket, 'data').catch(() => {}), sleep(200)])

const deeds: Record<string, (socket: Socket) => Promise<unknown>> = {
  async complete(socket) {
    for (let count = 1 + below(4); count > 0; count--) {
      socket.write(Math.random() < 0.5 ? GET : POST)
      await answered(socket)
    }
  },
  async leaves(socket) {
    socket.write(Math.random() < 0.5 ? SLOW : POST)
    await sleep(below(20))
    socket.resetAndDestroy()
  },
  async leavesInside(socket) {
    socket.write(POST.slice(0, below(POST.length)))
    await sleep(below(30))
  },
  async trickles(socket) {
    for (const byte of POST) {
      if (socket.destroyed) return
      socket.write(byte)
      await sleep(1)
    }
    await answered(socket)
  },
  async takesNothing(socket) {
    socket.pause()
    socket.write(BIG)
    await sleep(200 + below(500))
  },
  async pipelines(socket) {
    socket.write([GET, POST, SLOW].join('').repeat(1 + below(20)))
    await sleep(below(200))
  },
  async upgrades(socket) {
    socket.write(`${Math.random() < 0.5 ? SLOW : ''}GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: own\r\n\r\n`)
    await answered(socket)
  },
  async isNotHttp(socket) {
    socket.write(Buffer.from(Array.from({ length: 1 + below(200) }, () => below(256))))
    await answered(socket)
  },
  async smuggles(socket) {
    socket.write('POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')
    await answered(socket)
  },
  async departs(socket) {
    const kinds = Object.values(departures)
    socket.write(kinds[below(kinds.length)]!(`/quiet/${below(Object.keys(quiet).length)}`))
    await sleep(below(30))
  },
  async failsBody(socket) {
    socket.write('POST /body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{"a":')
    await answered(socket)
  },
}

/** Sends faults for some time. @param seconds how long @param width connections at a time @returns how many were sent */
export async function sendFaults(port: number, seconds: number, width: number): Promise<number> {
  const end = performance.now() + seconds * 1000
  const kinds = Object.values(deeds)
  let count = 0
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.resume()
      await Promise.race([once(socket, 'connect').catch(() => {}), sleep(1000)])
      await kinds[count++ % kinds.length]!(socket)
      socket.destroy()
    }
  }
  await Promise.all(Array.from({ length: width }, client))
  return count
}
