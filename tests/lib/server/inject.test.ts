/** `inject`: its callback and its promise. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer } from 'alcove/lib'
import { loggedServer } from '../../fixtures/logged-server.js'

describe('inject', () => {
  test('calls back with the reply, before and after the start, or with the error of the boot', async () => {
    const server: any = createServer()
    server.get('/', () => 'here')
    const call = (instance: any): Promise<any[]> => new Promise((resolve) => instance.inject('/', (...given: any[]) => resolve(given)))
    const [before, first] = await call(server)
    assert.deepEqual([before, first.body], [null, 'here'])
    const [after, second] = await call(server)
    assert.deepEqual([after, second.body], [null, 'here'])
    await server.close()

    const broken: any = createServer()
    broken.register(async () => {
      throw new Error('no boot')
    })
    assert.equal((await call(broken))[0].message, 'no boot')
    await assert.rejects(broken.inject('/'), /no boot/)
  })

  test('is refused after the server was closed, as a promise and as a callback', async () => {
    const server: any = createServer()
    await server.ready()
    await server.close()
    await assert.rejects(server.inject('/'), { code: 'ALC_ERR_REOPENED_CLOSE_SERVER' })
    const [error] = await new Promise<any[]>((resolve) => server.inject('/', (...given: any[]) => resolve(given)))
    assert.equal(error.code, 'ALC_ERR_REOPENED_CLOSE_SERVER')
  })
})

describe('an injected request that nothing answers', () => {
  const never = (_request: unknown, _reply: unknown): void => {}

  test('keeps the process alive until its time is over, and is answered as one of the network', async () => {
    const { server, lines } = loggedServer({ handlerTimeout: 100 })
    server.get('/', never)
    const { statusCode } = await server.inject('/')
    assert.deepEqual([statusCode, lines[0]!.err?.code], [503, 'ALC_ERR_HANDLER_TIMEOUT'])
    await server.close()
  })

  test('does so if it is sent before the start, or by a callback, or waits for a constraint', async () => {
    const { server } = loggedServer({
      handlerTimeout: 100,
      constraints: {
        slow: {
          name: 'slow',
          storage: () => ({ get: () => null, set() {} }),
          deriveConstraint: (_request: any, _context: any, _done: any) => {},
        },
      },
    })
    server.get('/', never)
    server.get('/slow', { constraints: { slow: 'a' } }, () => '')
    const status = (url: string): Promise<number> =>
      new Promise((resolve) => server.inject(url, (_error, response) => resolve(response.statusCode)))
    assert.deepEqual(await Promise.all([status('/'), status('/slow')]), [503, 503])
    assert.deepEqual(await Promise.all([status('/'), status('/slow')]), [503, 503])
    await server.close()
  })

  test('keeps the process alive no longer than it waits: neither after its answer nor after its end by the caller', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const { server } = loggedServer({})
    server.get('/', () => 'here')
    server.get('/never', never)
    await server.ready()
    const before = timers()
    const aborts = new AbortController()
    const aborted = server.inject({ url: '/never', signal: aborts.signal }).then(
      () => '',
      (error: Error) => error.name,
    )
    await server.inject('/')
    assert.equal(timers(), before + 1)
    aborts.abort()
    assert.equal(await aborted, 'AbortError')
    await server.inject('/')
    assert.equal(timers(), before)
    await server.close()
  })
})
