/** A request lasts until the sources of its payloads have closed, whether they were sent or not. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, test } from 'node:test'
import { Duplex, Readable } from 'node:stream'
import { createServer, type InjectResponse, type Reply, type Request } from 'alcove/lib'
import { whenRequestIsOver } from '../../../../lib/internal.js'

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** A stream of one chunk that takes its time to close: `close` lets it. */
function slowToClose(): { stream: Readable; close: () => void } {
  let close!: () => void
  const isAllowed = new Promise<void>((resolve) => (close = resolve))
  const stream = Readable.from(['text'])
  stream._destroy = (error, done) => void isAllowed.then(() => done(error))
  return { stream, close }
}

/** A web stream whose `cancel` takes its time: `close` lets it end. */
function slowToCancel(fails: boolean): { stream: ReadableStream; close: () => void } {
  let close!: () => void
  const isAllowed = new Promise<void>((resolve) => (close = resolve))
  const cancel = (): Promise<void> => isAllowed.then(() => (fails ? Promise.reject(new Error('fails')) : undefined))
  return { stream: new ReadableStream({ cancel }), close }
}

/** Sends a request to a handler. @returns the reply, and how often the request was over */
async function ask(
  handler: (reply: Reply, request: Request) => unknown,
  method: 'GET' | 'HEAD' = 'GET',
): Promise<{ answer: InjectResponse; over: () => number }> {
  const server = createServer({ handlerTimeout: 0 })
  let calls = 0
  server.route({
    method,
    url: '/',
    handler(request, reply) {
      whenRequestIsOver(request, () => calls++)
      return handler(reply, request) as never
    },
  })
  const answer = await server.inject({ method, url: '/' })
  for (let count = 0; count < 3; count++) await turn()
  return { answer, over: () => calls }
}

describe('a request lasts', () => {
  const uses: Record<string, (source: unknown, reply: Reply) => unknown> = {
    'that is sent': (source) => source,
    'that is returned after another reply': (source, reply) => (void reply.send('other'), source),
    'that an async handler returns after another reply': async (source, reply) => (void reply.send('other'), source),
    'that is sent after another reply': (source, reply) => void reply.send('other').send(source),
    'that is sent with a status that has no body': (source, reply) => void reply.code(204).send(source),
  }
  for (const [use, handle] of Object.entries(uses)) {
    test(`until a stream ${use} has closed`, async () => {
      const { stream, close } = slowToClose()
      const { over } = await ask((reply) => handle(stream, reply))
      assert.deepEqual([stream.destroyed, stream.closed, over()], [true, false, 0])
      close()
      await turn()
      await turn()
      assert.deepEqual([stream.closed, over()], [true, 1])
    })

    if (use === 'that is sent') continue
    for (const fails of [false, true]) {
      test(`until a web stream ${use} is cancelled, ${fails ? 'also if that fails' : 'and not longer'}`, async () => {
        const { stream, close } = slowToCancel(fails)
        const { over } = await ask((reply) => handle(stream, reply))
        assert.equal(over(), 0)
        close()
        await turn()
        assert.equal(over(), 1)
      })
    }
  }

  test('until the stream of a reply to HEAD has closed', async () => {
    const { stream, close } = slowToClose()
    const { over } = await ask(() => stream, 'HEAD')
    assert.deepEqual([stream.destroyed, over()], [true, 0])
    close()
    await turn()
    await turn()
    assert.equal(over(), 1)
  })

  test('not longer than the stream that it sends, of which only the readable side counts', async () => {
    const stream = new Duplex({
      read() {
        this.push('text')
        this.push(null)
      },
      write: () => {},
    })
    const { answer, over } = await ask(() => stream)
    assert.deepEqual([answer.body, over()], ['text', 1])
  })

  test('until a stream of an old kind, which has two sides and never emits `close`, has ended', async () => {
    let end!: () => void
    const stream = Object.assign(new EventEmitter(), {
      readable: true,
      writable: true,
      pipe: () => {},
      write: () => true,
      close: () => (end = () => stream.emit('end')),
    })
    const { over } = await ask((reply) => (void reply.send('other'), stream))
    assert.equal(over(), 0)
    end()
    await turn()
    assert.equal(over(), 1)
  })

  test('not longer because of a payload that is not a source', async () => {
    const { over } = await ask((reply) => (void reply.send('other'), { not: 'sent' }))
    assert.equal(over(), 1)
  })
})

test('a stream that a handler sends and returns is sent whole', async () => {
  for (const handle of [
    (stream: Readable, reply: Reply) => (void reply.send(stream), stream),
    async (stream: Readable, reply: Reply) => (void reply.send(stream), stream),
    async (stream: Readable, reply: Reply) => (void reply.send(stream), await turn(), stream),
  ]) {
    const stream = Readable.from(['a', 'b', 'c'])
    const { answer, over } = await ask((reply) => handle(stream, reply))
    assert.deepEqual([answer.body, over()], ['abc', 1])
  }
})
