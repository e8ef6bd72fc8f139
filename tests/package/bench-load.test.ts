/** The load generator of the measurements: latencies that hide nothing. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { project } from '../fixtures/project.js'

interface Slot {
  ready(): Promise<Slot>
  send(done: (isAnswered: boolean) => void): void
  drop(): void
}
interface Found {
  due: number
  answered: number
  gaveUp: number
  p50: number
  p99: number
}
interface Clients {
  slots: Slot[]
  makeSlot?: () => Slot
  most?: number
  patience?: number
}
type OpenLoadClass = new (clients: Clients) => { run(phases: { perSecond: number; seconds: number }[]): Promise<Found[]> }
const { OpenLoad } = (await import(pathToFileURL(join(project, 'bench/open-load.mjs')).href)) as { OpenLoad: OpenLoadClass }

/** Answers at once, but the first request only after `stall` ms. */
function stallingServer(stall: number): () => Slot {
  let isFirst = true
  return () => {
    let drop = (): void => undefined
    return {
      async ready() {
        return this
      },
      send(done) {
        const timer = setTimeout(() => done(true), isFirst ? stall : 0)
        drop = () => {
          clearTimeout(timer)
          done(false)
        }
        isFirst = false
      },
      drop: () => drop(),
    }
  }
}

describe('the open loop', () => {
  test('a stall shows in the latency of every request that was due meanwhile', async () => {
    const [found] = await new OpenLoad({ slots: [stallingServer(400)()] }).run([{ perSecond: 200, seconds: 0.5 }])
    assert.ok(found!.due > 60 && found!.answered === found!.due, JSON.stringify(found))
    // One request in a hundred was slow to be answered; most were late because of it.
    assert.ok(found!.p50 > 50, `p50 is ${found!.p50} ms`)
    assert.ok(found!.p99 > 300, `p99 is ${found!.p99} ms`)
  })

  test('opens further connections while a request is due and none is free, up to the given number', async () => {
    const make = stallingServer(1500)
    let opened = 0
    const makeSlot = (): Slot => {
      opened += 1
      return make()
    }
    const [found] = await new OpenLoad({ slots: [make()], makeSlot, most: 3 }).run([{ perSecond: 200, seconds: 0.3 }])
    assert.ok(opened > 0 && opened <= 2, `${opened} were opened`)
    assert.ok(found!.p50 < 700, `p50 is ${found!.p50} ms`)
  })

  test('counts requests that clients have given up, in flight and not yet sent, as not answered', async () => {
    const [found] = await new OpenLoad({ slots: [stallingServer(60_000)()], patience: 100 }).run([{ perSecond: 200, seconds: 0.4 }])
    assert.equal(found!.answered + found!.gaveUp, found!.due)
    assert.ok(found!.gaveUp >= 1 && found!.answered >= 1, JSON.stringify(found))
  })
})

interface Http2Client {
  encode(request: { method: string; url: string; headers: Record<string, string>; body: string }): Buffer
  Http2Connection: new (
    port: number,
    host: string,
  ) => { open(): Promise<void>; send(request: Buffer, done: (isAnswered: boolean) => void): number }
}
const { encode, Http2Connection } = (await import(pathToFileURL(join(project, 'bench/http2-client.mjs')).href)) as Http2Client

test('the client of HTTP/2 sends what a server of Node understands, and tells good answers from others', async (context) => {
  const seen: unknown[] = []
  const server = createServer((request, response) => {
    seen.push([request.method, request.url, request.authority, request.headers['x-long']])
    response.writeHead(request.url.startsWith('/missing') ? 404 : 200, { 'content-type': 'text/plain' })
    // Several frames, and more than the window that a connection has at first.
    response.end('x'.repeat(100_000))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  // The client stays connected, as long as its process runs.
  server.on('session', (session) => context.after(() => session.destroy()))
  const connection = new Http2Connection((server.address() as AddressInfo).port, '127.0.0.1')
  await connection.open()
  const long = 'value'.repeat(60)
  const ask = (url: string): Promise<boolean> =>
    new Promise((resolve) => void connection.send(encode({ method: 'GET', url, headers: { 'x-long': long }, body: '' }), resolve))
  const urls = ['/a?page=1', '/missing', ...Array.from({ length: 20 }, (_, index) => `/${index}`)]
  const answers = await Promise.all(urls.map(ask))
  assert.deepEqual(
    answers,
    urls.map((url) => url !== '/missing'),
  )
  assert.deepEqual(
    seen,
    urls.map((url) => ['GET', url, 'localhost', long]),
  )
})
