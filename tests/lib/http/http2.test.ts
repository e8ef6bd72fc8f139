/** What the module knows of HTTP/2 alone; what a server does with it is tested in ../http2.test.ts. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { endWhenIdle, findHttp2Fault, isStreamReading, mayHaveHttp2Body, openStreams } from '../../../lib/http/http2.js'

async function listen(t: TestContext): Promise<{ server: http2.Http2Server; session: http2.ClientHttp2Session }> {
  const server = http2.createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  t.after(() => (session.destroy(), server.close()))
  return { server, session }
}

test('a request may have a body unless its stream ended with the headers', async (t) => {
  const { server, session } = await listen(t)
  session.request({ ':method': 'POST' })
  const [posted] = (await once(server, 'request')) as [http2.Http2ServerRequest]
  const raw = posted as unknown as IncomingMessage
  assert.equal(mayHaveHttp2Body(raw), true)
  posted.stream.close()

  session.request({ ':method': 'POST' }, { endStream: true })
  const [empty] = (await once(server, 'request')) as [http2.Http2ServerRequest]
  assert.equal(mayHaveHttp2Body(empty as unknown as IncomingMessage), false)
})

test('a request without a stream, whatever version it claims, has no body of HTTP/2', () => {
  for (const httpVersionMajor of [1, 2]) assert.equal(mayHaveHttp2Body({ httpVersionMajor } as IncomingMessage), false)
})

test('the open streams of a session are those that have not closed', async (t) => {
  const { server, session } = await listen(t)
  const sessions = once(server, 'session') as Promise<[http2.ServerHttp2Session]>
  server.once('session', openStreams)
  const request = session.request()
  const [serverSession] = await sessions
  const [stream] = (await once(server, 'stream')) as [http2.ServerHttp2Stream]
  assert.deepEqual([...openStreams(serverSession)], [stream])
  stream.respond({}, { endStream: true })
  request.resume()
  await once(stream, 'close')
  assert.equal(openStreams(serverSession).size, 0)
})

test('a stream reads from the moment that its body is read until that ends', async (t) => {
  const { server, session } = await listen(t)
  const request = session.request({ ':method': 'POST' })
  const [stream] = (await once(server, 'stream')) as [http2.ServerHttp2Stream]
  assert.equal(isStreamReading(stream), false)
  stream.resume()
  assert.equal(isStreamReading(stream), true)
  request.end('x')
  await once(stream, 'end')
  await wait(10)
  assert.equal(isStreamReading(stream), false)
  stream.respond({}, { endStream: true })
})

test('an idle session ends, but not while a handler works on a stream', async (t) => {
  const { server, session } = await listen(t)
  server.on('session', (serverSession) => endWhenIdle(serverSession, 30))
  const request = session.request()
  const [stream] = (await once(server, 'stream')) as [http2.ServerHttp2Stream]
  await wait(100)
  assert.equal(stream.destroyed, false)
  stream.respond({}, { endStream: true })
  request.resume()
  await once(session, 'close')
})

test('a Node whose HTTP/2 a client can end the process with is told by the version of nghttp2', () => {
  for (const version of ['1.61.0', '1.68.0', '0.99.9']) assert.match(findHttp2Fault(version)!, /CVE-2026-27135.*nghttp2 1\.68\.1/)
  for (const version of ['1.68.1', '1.69.0', '1.70.0', '2.0.0']) assert.equal(findHttp2Fault(version), undefined)
  assert.equal(findHttp2Fault(undefined as never), findHttp2Fault(process.versions['nghttp2']))
})
