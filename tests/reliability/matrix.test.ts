/** Every lifecycle hook × deed × style × value: exactly one reply, in time and without details, and the next request is served. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Plugin, Route, testServer } from 'alcove'
import { createServer } from 'alcove/lib'
import { type Deed, deeds, errorValues, hookArity, isLeak, makeHook, type Style, styles } from './faults.js'

/** In milliseconds. Hooks and handlers that come before the one that hangs must be over by then, on a busy machine too. */
const TIMEOUT = 400

// Neither deadlines nor injected requests keep the process alive.
const alive = setInterval(() => {}, 1000)
after(() => clearInterval(alive))

const before: ReadonlySet<string> = new Set(['onRequest', 'preParsing', 'preValidation', 'preHandler'])

/** The expected status of the reply to a request whose hook does a deed */
function statusOf(name: string, deed: Deed, style: Style, value: unknown): number {
  // The reply was sent before.
  if (name === 'onResponse') return 200
  if (before.has(name) && deed.replies) return 202
  // `done` without a failure is a success.
  const isDone = style === 'callback' && deed.continues && value == null
  if (deed.throws) return isDone && name !== 'onError' ? 200 : 500
  // The reply is that of the first failure. onError hooks do not change it.
  if (name === 'onError' && deed.replies) return 500
  const isOver = style === 'async' ? !deed.hangs : style === 'callback' && deed.continues
  if (!isOver) return 503
  if (name === 'onError') return 500
  return deed.replies ? 202 : 200
}

for (const name of Object.keys(hookArity)) {
  test(`a request is answered once and in time for every deed of its ${name} hook`, { timeout: 20_000 }, async () => {
    const server = createServer()
    const followed: string[] = []
    const handled: string[] = []
    const cases: { path: string; title: string; status: number }[] = []
    for (const [deedName, deed] of Object.entries(deeds)) {
      for (const style of styles) {
        for (const [valueName, value] of Object.entries(deed.throws ? errorValues : { 'an error': errorValues['an error']! })) {
          const path = `/${cases.length}`
          const status = statusOf(name, deed, style, value())
          cases.push({ path, title: `${deedName} (${style}, ${valueName})`, status })
          // Long enough for a busy machine
          const handlerTimeout = status === 503 ? TIMEOUT : 10_000
          const follow = async (): Promise<void> => void followed.push(path)
          server.post(path, { handlerTimeout, [name]: [makeHook(name, deed, style, value), follow] }, async () => {
            handled.push(path)
            // Time for another call before the reply is sent
            await turn()
            if (name === 'onError') throw new Error('secret')
            return { fine: true }
          })
        }
      }
    }
    server.get('/next', () => 'next')
    await server.ready()
    const start = performance.now()
    await Promise.all(
      cases.map(async ({ path, title, status }) => {
        const reply = await server.inject({ method: 'POST', url: path, payload: { a: 1 } })
        const text = `${title}: ${reply.statusCode} ${reply.body}`
        assert.equal(reply.statusCode, status, text)
        assert.ok(!isLeak(reply.body), text)
        if (status < 300) assert.equal(reply.body, before.has(name) && status === 202 ? 'early' : '{"fine":true}', text)
      }),
    )
    // Neither later hooks nor the handler run after a hook that refused.
    const passed = cases.filter(({ status }) => !before.has(name) || status === 200).map(({ path }) => path)
    assert.deepEqual(handled.toSorted(), passed.toSorted())
    if (before.has(name)) assert.deepEqual(followed.toSorted(), passed.toSorted())
    else assert.equal(new Set(followed).size, followed.length)
    const took = performance.now() - start
    assert.ok(took < TIMEOUT + 4000, `${took} ms`)
    assert.equal((await server.inject('/next')).body, 'next')
    await server.close()
  })
}

const TX = Symbol('TX')

/** An application whose only provider is made for each request by `factory`. */
function appWith(factory: () => unknown): any {
  @Route({ method: 'GET', path: '/' })
  class GetIt {
    static readonly inject = [TX] as const
    constructor(readonly tx: unknown) {}
    handle(): string {
      return 'fine'
    }
  }
  @Plugin({ providers: [{ provide: TX, useFactory: factory, scope: 'request' }], routes: [GetIt] } as any)
  class App {}
  return App
}

const providerDeeds: Readonly<Record<string, { make: (value: () => unknown) => unknown; status: number }>> = {
  'throws in its factory': {
    make: (value) => {
      throw value()
    },
    status: 500,
  },
  'rejects in its factory': { make: (value) => Promise.reject(value()), status: 500 },
  'throws when it is disposed of': {
    make: (value) => ({
      dispose() {
        throw value()
      },
    }),
    status: 200,
  },
  'rejects when it is disposed of': { make: (value) => ({ dispose: () => Promise.reject(value()) }), status: 200 },
  'never ends when it is disposed of': { make: () => ({ dispose: () => new Promise(() => {}) }), status: 200 },
  'never settles': { make: () => new Promise(() => {}), status: 503 },
}

for (const [name, { make, status }] of Object.entries(providerDeeds)) {
  test(`a provider of a request that ${name} affects at most that request`, { timeout: 20_000 }, async () => {
    for (const [valueName, value] of Object.entries(errorValues)) {
      let fails = true
      await using server = await testServer(
        appWith(() => (fails ? make(value) : {})),
        { server: { handlerTimeout: TIMEOUT, closeTimeout: TIMEOUT } },
      )
      const failed = await server.inject('/')
      assert.equal(failed.statusCode, status, `${valueName}: ${failed.body}`)
      assert.ok(!isLeak(failed.body), failed.body)
      fails = false
      assert.equal((await server.inject('/')).body, 'fine')
      // It makes no use of the value, and each server that closes waits for it.
      if (name.startsWith('never')) break
    }
  })
}
