/** Every lifecycle hook × what it does × how × with which value: one reply, in time, nothing told, and the next request is served. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Plugin, Route, testServer } from 'alcove'
import { createServer } from 'alcove/lib'
import { deeds, errorValues, hookArity, isLeak, makeHook, styles } from './faults.js'

const TIMEOUT = 40

// Deadlines keep no process alive, and injected requests have no socket that does.
const alive = setInterval(() => {}, 1000)
after(() => clearInterval(alive))

for (const name of Object.keys(hookArity)) {
  test(`whatever a ${name} hook does, its request is answered once and in time`, { timeout: 20_000 }, async () => {
    const server = createServer({ handlerTimeout: TIMEOUT })
    const cases: { path: string; title: string; isHanging: boolean }[] = []
    for (const [deedName, deed] of Object.entries(deeds)) {
      for (const style of styles) {
        for (const [valueName, value] of Object.entries(deed.throws ? errorValues : { 'an error': errorValues['an error']! })) {
          const path = `/${cases.length}`
          cases.push({ path, title: `${deedName} (${style}, ${valueName})`, isHanging: deed.hangs })
          server.post(path, { [name]: makeHook(name, deed, style, value) }, () => {
            if (name === 'onError') throw new Error('secret')
            return { fine: true }
          })
        }
      }
    }
    server.get('/next', () => 'next')
    await server.ready()
    let replies = 0
    const start = performance.now()
    await Promise.all(
      cases.map(async ({ path, title, isHanging }) => {
        const reply = await server.inject({ method: 'POST', url: path, payload: { a: 1 } })
        replies++
        const text = `${title}: ${reply.statusCode} ${reply.body}`
        assert.ok(!isLeak(reply.body), text)
        assert.ok([200, 202, 500, 503].includes(reply.statusCode), text)
        if (isHanging && name !== 'onResponse') assert.equal(reply.statusCode, 503, text)
        if (!isHanging && !['sync', 'callback'].some((style) => title.includes(style)) && name !== 'onResponse')
          assert.notEqual(reply.statusCode, 503, text)
      }),
    )
    assert.equal(replies, cases.length)
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
  test(`a provider of a request that ${name} costs at most that request`, { timeout: 20_000 }, async () => {
    for (const [valueName, value] of Object.entries(errorValues)) {
      let fails = true
      await using server = await testServer(
        appWith(() => (fails ? make(value) : {})),
        { server: { handlerTimeout: TIMEOUT } },
      )
      const failed = await server.inject('/')
      assert.equal(failed.statusCode, status, `${valueName}: ${failed.body}`)
      assert.ok(!isLeak(failed.body), failed.body)
      fails = false
      assert.equal((await server.inject('/')).body, 'fine')
      if (status === 503) break
    }
  })
}
