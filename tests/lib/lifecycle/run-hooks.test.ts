/** Hooks of a request. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type Server } from 'alcove/lib'
import { countdown } from '../../fixtures/countdown.js'
import { listen, messages, using } from '../../fixtures/logged-server.js'
import { exchange, get, open, post } from '../../security/wire.js'

describe('an error in a stage that runs inside the callback of a hook', () => {
  test('is not thrown into the hook, is logged, and the request is answered after handlerTimeout', async () => {
    const lines: { msg: string; err?: { message: string } }[] = []
    const server = createServer({
      handlerTimeout: 50,
      logger: { level: 'error', stream: { write: (line: string) => lines.push(JSON.parse(line)) } },
    })
    let hasReturned = false
    server.addHook('preParsing', (_request, _reply, _payload, done) => {
      done()
      hasReturned = true
    })
    // The next stage looks for the parser of the body.
    const pattern = /^a/
    pattern.test = () => {
      throw new Error('no match')
    }
    server.addContentTypeParser(pattern, (_request, _payload, done) => done(null, ''))
    server.post('/', () => 'never')
    await server.listen({ port: 0, host: '127.0.0.1' })
    const answer = await fetch(server.listeningOrigin, { method: 'POST', body: 'x', headers: { 'content-type': 'a/b' } })
    assert.equal(answer.status, 503)
    assert.ok(hasReturned)
    assert.deepEqual([lines[0]!.msg, lines[0]!.err?.message], ['a hook failed after it had completed', 'no match'])
    await server.close()
  })

  test('is answered 500 if there is no hook', async () => {
    const server = createServer()
    const pattern = /^a/
    pattern.test = () => {
      throw new Error('no match')
    }
    server.addContentTypeParser(pattern, (_request, _payload, done) => done(null, ''))
    server.post('/', () => 'never')
    const answer = await server.inject({ method: 'POST', url: '/', payload: 'x', headers: { 'content-type': 'a/b' } })
    assert.equal(answer.statusCode, 500)
    await server.close()
  })
})

test('an error that a hook passes to done after it has completed is logged: it refuses nothing', async () => {
  const lines: { msg: string; err?: { message: string } }[] = []
  const server = createServer({ logger: { level: 'error', stream: { write: (line: string) => lines.push(JSON.parse(line)) } } })
  server.addHook('preHandler', (_request, _reply, done) => {
    done()
    done(new Error('refused'))
  })
  server.get('/', () => 'ok')
  assert.equal((await server.inject('/')).body, 'ok')
  assert.deepEqual([lines[0]?.msg, lines[0]?.err?.message], ['a hook failed after it had completed', 'refused'])
  await server.close()
})

/** The request is answered, and nothing is logged. */
const answersQuietly = (declare: (server: Server) => void): Promise<void> =>
  using(
    (server) => {
      declare(server)
      server.get('/', () => 'ok')
    },
    async (server, lines) => {
      assert.equal((await exchange(await listen(server), get('/')))[0]!.body, 'ok')
      assert.deepEqual(messages(lines), [])
    },
  )

test('a second completion of a hook without an error is ignored, whether it is a call of done or the end of a promise', () =>
  answersQuietly((server) => {
    server.addHook('preHandler', (_request, _reply, done) => {
      done()
      done()
    })
    server.addHook('preHandler', ((_request: unknown, _reply: unknown, done: () => void) => {
      done()
      return Promise.resolve()
    }) as never)
  }))

test('a value that a hook returns beside done is not a promise of its end', () =>
  answersQuietly((server) => void server.addHook('preHandler', (_request, _reply, done) => setTimeout(done, 5))))

test('a rejection without an error, after the hook has called done, is logged as an error', () =>
  using(
    (server) => {
      server.addHook('preHandler', ((_request: unknown, _reply: unknown, done: () => void) => {
        done()
        return Promise.reject(undefined)
      }) as never)
      server.get('/', async () => (await sleep(5), 'ok'))
    },
    async (server, lines) => {
      assert.equal((await exchange(await listen(server), get('/')))[0]!.body, 'ok')
      assert.deepEqual(
        lines.map(({ msg, err }) => [msg, err?.code]),
        [['a hook failed after it had completed', 'ALC_ERR_SEND_UNDEFINED_ERR']],
      )
    },
  ))

test('a promise that a hook passes to done fails the request, and the log says what to write instead', () =>
  using(
    (server) => {
      server.addHook('onSend', (_request, _reply, _payload, done) => done(null, Promise.resolve('late') as never))
      server.get('/', () => 'ok')
    },
    async (server, lines) => {
      assert.equal((await exchange(await listen(server), get('/')))[0]!.status, 500)
      assert.equal(lines[0]!.err?.message, 'a hook must not pass a promise to done: return the promise instead')
    },
  ))

describe('the hooks after one', () => {
  for (const [what, answer, body] of [
    ['has replied', (reply: any) => reply.send('replied'), 'replied'],
    ['has called callNotFound', (reply: any) => reply.callNotFound(), 'not found'],
  ] as const) {
    test(`that ${what} and then calls done do not run`, async () => {
      const ran: string[] = []
      await using(
        (server) => {
          server.setNotFoundHandler(async () => (await sleep(10), 'not found'))
          server.addHook('onSend', async () => void (await sleep(10)))
          const first = (_request: unknown, reply: unknown, done: () => void): void => {
            answer(reply)
            done()
          }
          const second = async (): Promise<void> => void ran.push('second hook')
          server.get('/', { preHandler: [first, second] }, () => ran.push('handler'))
        },
        async (server, lines) => {
          assert.equal((await exchange(await listen(server), get('/')))[0]!.body, body)
          assert.deepEqual(messages(lines), [])
        },
      )
      assert.deepEqual(ran, [])
    })
  }
})

test('a preParsing hook that returns false leaves the stream of the body as it is', () =>
  using(
    (server) => {
      server.addHook('preParsing', (async () => false) as never)
      server.post('/', ({ body }) => body)
    },
    async (server) => {
      const [answer] = await exchange(await listen(server), post('/', 'application/json', '{"a":1}'))
      assert.equal(answer!.body, '{"a":1}')
    },
  ))

test('onResponse hooks have the store that the only hook before them entered by calling done in it', async () => {
  const storage = new AsyncLocalStorage<string>()
  const stores: unknown[] = []
  await using(
    (server) => {
      server.addHook('onRequest', (_request, _reply, done) => storage.run('entered', done))
      server.addHook('onResponse', (_request, _reply, done) => {
        stores.push(storage.getStore())
        done()
      })
      server.get('/', () => 'ok')
    },
    async (server) => void (await exchange(await listen(server), get('/'))),
  )
  assert.deepEqual(stores, ['entered'])
})

describe('an object with a method then that a hook returns', () => {
  test('completes its own hook only, even if it says twice that it is done', async () => {
    const server = createServer()
    server.get('/', {
      preHandler: [
        async () => {},
        () => ({
          then(onValue: () => void) {
            setImmediate(onValue)
            setTimeout(onValue, 5)
          },
        }),
        async () => {
          await sleep(30)
          throw Object.assign(new Error('not you'), { statusCode: 403 })
        },
      ],
      handler: () => 'secret',
    })
    assert.equal((await server.inject('/')).statusCode, 403)
    await server.close()
  })

  test('completes no later hook if its own has called done', async () => {
    const server = createServer()
    server.get('/', {
      preHandler: [
        async () => {},
        (_request, _reply, done) => {
          setImmediate(done)
          return sleep(5)
        },
        async () => {
          await sleep(30)
          throw Object.assign(new Error('not you'), { statusCode: 403 })
        },
      ],
      handler: () => 'secret',
    })
    assert.equal((await server.inject('/')).statusCode, 403)
    await server.close()
  })
})

test('async onRequestAbort hooks that take no parameter run, of a context and of a route', async () => {
  const arrived = countdown(1)
  const aborted = countdown(2)
  await using server = createServer({ forceCloseConnections: true })
  server.addHook('onRequestAbort', async () => aborted.hit())
  server.get('/', { onRequestAbort: async () => aborted.hit() }, async () => (arrived.hit(), aborted.done))
  const client = await open(await listen(server))
  client.write(get('/'))
  await arrived.done
  client.destroy()
  await aborted.done
})

test('a hook that calls done and then returns a promise does not complete the hook after it', async () => {
  const order: string[] = []
  await answersQuietly((server) => {
    server.addHook('preHandler', (_request, _reply, done) => {
      done()
      return Promise.resolve()
    })
    server.addHook('preHandler', async () => {
      await new Promise((resolve) => setImmediate(resolve))
      order.push('second')
    })
    server.addHook('preHandler', async () => void order.push('third'))
  })
  assert.deepEqual(order, ['second', 'third'])
})

test('an object with a method `then` that calls its callback twice does not complete the hook after it', async () => {
  const order: string[] = []
  /** What a hook may return in place of a promise. */
  const thenable = (then: (onValue: () => void) => void): Promise<void> => ({ then }) as never
  await answersQuietly((server) => {
    server.addHook('preHandler', () =>
      thenable((onValue) => {
        onValue()
        setImmediate(onValue)
      }),
    )
    server.addHook('preHandler', () =>
      thenable((onValue) => {
        const finish = (): void => {
          order.push('second')
          onValue()
        }
        setImmediate(() => setImmediate(() => setImmediate(finish)))
      }),
    )
    server.addHook('preHandler', async () => void order.push('third'))
  })
  assert.deepEqual(order, ['second', 'third'])
})
