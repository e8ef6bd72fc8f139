/** Fields of Node that no document promises: a Node that lacks one, or uses it in another way, costs speed but no request. */
import assert from 'node:assert/strict'
import { executionAsyncResource } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer as createNodeServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { finished } from 'node:stream'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { compileFunction, runInNewContext } from 'node:vm'
import { startProgram } from '../fixtures/children.js'
import { LazyIncomingMessage } from '../../lib/http/incoming-message.js'
import { keptTicks } from '../../lib/http/node-internals.js'

async function report(...args: string[]): Promise<unknown> {
  const child = startProgram('tests/fixtures/hidden-fields-app.js', args)
  const code = await child.exited
  assert.equal(code, 0, child.output.stderr)
  return JSON.parse(child.output.stdout)
}

const options = { timeout: 60_000 }

describe('close() answers the requests that are being served, and ends', { concurrency: 2 }, () => {
  for (const hidden of [[], ['_httpMessage'], ['parser'], ['_httpMessage', 'parser', 'writeQueueSize', '_parent']]) {
    test(`in a Node ${hidden.length === 0 ? 'as it is' : `without ${hidden.join(', ')}`}`, options, async () => {
      assert.deepEqual(await report('close', ...hidden), [['idle'], ['slow'], ['slow', 'slow'], []])
    })
  }
  test('over TLS, in a Node that does not say which socket is below', options, async () => {
    assert.deepEqual(await report('tls', '_parent'), [['idle'], ['slow'], []])
  })
  test('and waits longer for a client that reads, in a Node that does not say how far', options, async () => {
    assert.equal(await report('stalled', 'writeQueueSize'), true)
  })
})

describe('a request', () => {
  const replies = ['idle', 'body', 'body', 'idle']

  test('is served in a Node that treats unread requests in another way: then each is a stream', options, async () => {
    assert.deepEqual(await report('requests', '_dump'), replies)
  })
  test('is served without the internal fields of its socket', options, async () => {
    assert.deepEqual(await report('requests', 'parser', '_httpMessage', 'writeQueueSize'), replies)
  })

  async function serve(
    pieces: readonly string[],
    handler: (raw: IncomingMessage, response: ServerResponse) => void,
  ): Promise<{ count: number; isIdleFree: boolean }> {
    let count = 0
    const requests: IncomingMessage[] = []
    const server = createNodeServer({ IncomingMessage: LazyIncomingMessage }, (raw, response) => {
      count++
      requests.push(raw)
      handler(raw, response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    for (const piece of pieces) {
      socket.write(piece)
      await once(socket, 'data')
      await wait(20)
    }
    const { parser } = requests[0]!.socket as { parser?: { incoming?: unknown } } & typeof socket
    const isIdleFree = parser?.incoming == null
    socket.destroy()
    server.close()
    return { count, isIdleFree }
  }

  const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
  const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody'

  for (const [name, bytes] of Object.entries({ 'without a body': GET, 'with a body that is not read': POST })) {
    test(`${name} ends, closes and finishes after its reply`, options, async () => {
      const events: string[] = []
      await serve([bytes], (raw, response) => {
        raw.on('end', () => events.push('end'))
        raw.on('close', () => events.push('close'))
        finished(raw, { writable: false }, () => events.push('finished'))
        response.end('ok')
      })
      assert.deepEqual(events, ['end', 'close', 'finished'])
    })

    test(`${name} that is destroyed after its reply keeps its connection, which does not hold it`, options, async () => {
      const found = await serve([bytes, bytes], (raw, response) => {
        response.on('close', () => setTimeout(() => raw.destroy(), 5))
        response.end('ok')
      })
      assert.deepEqual(found, { count: 2, isIdleFree: true })
    })
  }
})

test('the objects of ticks keep their hidden class through full garbage collections', async () => {
  setFlagsFromString('--expose-gc')
  setFlagsFromString('--allow-natives-syntax')
  const collectGarbage: () => void = runInNewContext('gc')
  const haveSameClass = compileFunction('return %HaveSameMap(a, b)', ['a', 'b'])
  for (let round = 0; round < 8; round++) {
    await wait(1)
    collectGarbage()
  }
  const tick = await new Promise((resolve) => process.nextTick(() => resolve(executionAsyncResource())))
  assert.equal(haveSameClass(keptTicks[0], tick), true)
})
