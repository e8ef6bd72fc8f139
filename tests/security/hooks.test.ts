/** Every hook × (throws, rejects, never settles, replies early, replies and continues): one answer, in time, and nothing lost. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer, type Server } from 'alcove/lib'
import { exchange, get, open, post, recorder, wireTest } from './wire.js'

const names = ['onRequest', 'preParsing', 'preValidation', 'preHandler', 'preSerialization', 'onSend', 'onError', 'onResponse'] as const
type Name = (typeof names)[number]

/** Whether the hook comes before the reply, with it, or after it. */
const isBefore = (name: Name): boolean => ['onRequest', 'preParsing', 'preValidation', 'preHandler'].includes(name)
const isWith = (name: Name): boolean => ['preSerialization', 'onSend'].includes(name)

/** A hook of any kind that calls a function with the reply and `done`. */
function hook(name: Name, run: (reply: any, done: (error?: unknown) => void) => unknown): any {
  return ['preParsing', 'preSerialization', 'onSend', 'onError'].includes(name)
    ? (_request: any, reply: any, _value: any, done: any) => run(reply, done)
    : (_request: any, reply: any, done: any) => run(reply, done)
}

const deeds: Record<string, { run: (reply: any, done: (error?: unknown) => void) => unknown; fails: boolean; hangs: boolean }> = {
  throws: {
    run: () => {
      throw new Error('secret')
    },
    fails: true,
    hangs: false,
  },
  rejects: { run: () => Promise.reject(new Error('secret')), fails: true, hangs: false },
  'rejects with nothing': { run: () => Promise.reject(), fails: true, hangs: false },
  'rejects late': { run: () => sleep(10).then(() => Promise.reject(new Error('secret'))), fails: true, hangs: false },
  'calls done with an error': { run: (_reply, done) => done(new Error('secret')), fails: true, hangs: false },
  'calls done twice': { run: (_reply, done) => (done(), done()), fails: false, hangs: false },
  'calls done, then fails': { run: (_reply, done) => (done(), done(new Error('secret'))), fails: false, hangs: false },
  'calls done, then throws': {
    run: (_reply, done) => {
      done()
      throw new Error('secret')
    },
    fails: false,
    hangs: false,
  },
  'calls done, then rejects': { run: (_reply, done) => (done(), Promise.reject(new Error('secret'))), fails: false, hangs: false },
  'never settles': { run: () => new Promise(() => {}), fails: false, hangs: true },
  'does nothing': { run: () => {}, fails: false, hangs: true },
}

for (const name of names) {
  for (const [deed, { run, fails, hangs }] of Object.entries(deeds)) {
    const isFailing = name === 'onError'
    wireTest(
      `a request whose ${name} hook ${deed} is answered once and in time`,
      (server) => {
        const options = { [name]: hook(name, run), handlerTimeout: 80 } as any
        if (isFailing) options.errorHandler = (_error: unknown, _request: unknown, reply: any) => reply.code(418).send({ failed: true })
        server.post('/', options, () => {
          if (isFailing) throw new Error('secret')
          return { fine: true }
        })
      },
      async ({ port }) => {
        const answers = await exchange(port, post('/', 'application/json', '{}'), 2500)
        assert.equal(answers.length, 1)
        const { status, body } = answers[0]!
        assert.ok(!body.includes('secret'), body)
        if (name === 'onResponse') assert.equal(status, 200)
        else if (hangs) assert.equal(status, 503)
        else if (isFailing) assert.equal(status, 418)
        else assert.equal(status, fails ? 500 : 200)
      },
    )
  }

  if (isBefore(name)) {
    const early: Record<string, (reply: any, done: (error?: unknown) => void) => unknown> = {
      'replies and stops': (reply) => void reply.code(401).send('early'),
      'replies and continues': (reply, done) => (reply.code(401).send('early'), done()),
      'replies and fails': (reply, done) => (reply.code(401).send('early'), done(new Error('secret'))),
      'replies and throws': (reply) => {
        reply.code(401).send('early')
        throw new Error('secret')
      },
      'replies and resolves': async (reply) => void reply.code(401).send('early'),
      'replies and rejects': async (reply) => {
        reply.code(401).send('early')
        throw new Error('secret')
      },
      'replies later': (reply) => void setImmediate(() => reply.code(401).send('early')),
      'replies and never settles': (reply) => (reply.code(401).send('early'), new Promise(() => {})),
    }
    for (const [deed, run] of Object.entries(early)) {
      let handled = 0
      wireTest(
        `a ${name} hook that ${deed} keeps the handler from running`,
        (server) => {
          server.register(async (child) => {
            child.addHook(name as any, hook(name, run))
            child.post('/', () => ++handled)
          })
        },
        async ({ port }) => {
          const answers = await exchange(port, post('/', 'application/json', '{}'))
          assert.deepEqual(
            answers.map(({ status, body }) => [status, body]),
            [[401, 'early']],
          )
          assert.equal(handled, 0)
        },
      )
    }
  }
  if (isWith(name)) {
    wireTest(
      `a ${name} hook that sends itself does not send twice`,
      (server) => {
        server.post('/', { [name]: hook(name, (reply, done) => (reply.send({ again: true }), done())) }, () => ({ fine: true }))
      },
      async ({ port }) => {
        const answers = await exchange(port, post('/', 'application/json', '{}'))
        assert.deepEqual(
          answers.map(({ body }) => body),
          ['{"fine":true}'],
        )
      },
    )
  }
}

const { lines, logger } = recorder()
wireTest(
  'errors of hooks that cannot be answered are logged, and do not end the process',
  (server: Server) => {
    const fail = (): Promise<never> => sleep(1).then(() => Promise.reject(new Error('of a hook')))
    server.get('/response', { onResponse: fail }, () => 'ok')
    server.get('/error', { onError: fail }, () => Promise.reject(new Error('first')))
    server.get('/send', { onSend: fail }, () => 'ok')
    server.get('/late', { preHandler: (_request: any, _reply: any, done: any) => (done(), fail()) }, () => 'ok')
    server.get('/timeout', { onTimeout: fail, handlerTimeout: 50 }, () => new Promise(() => {}))
    server.get('/abort', { onRequestAbort: () => fail() }, () => new Promise(() => {}))
  },
  async ({ port }) => {
    for (const path of ['/response', '/error', '/send', '/late']) {
      lines.length = 0
      assert.equal((await exchange(port, get(path))).length, 1, path)
      await sleep(20)
      assert.ok(
        lines.some(({ level, given }) => level === 'error' && given?.err?.message === 'of a hook'),
        path,
      )
    }
    lines.length = 0
    const socket = await open(port)
    socket.write(get('/abort'))
    await sleep(30)
    socket.destroy()
    await sleep(50)
    lines.length = 0
    const stuck = await open(port)
    stuck.write(get('/timeout'))
    await new Promise((resolve) => stuck.on('close', resolve).resume())
  },
  { logger, connectionTimeout: 30 },
)

wireTest(
  'a guard inside an async function that passes on all its arguments refuses by done, at once or later',
  (server) => {
    const refuse = (_request: unknown, _reply: unknown, done: (error: Error) => void): void =>
      done(Object.assign(new Error('refused'), { statusCode: 403 }))
    const later = (...args: Parameters<typeof refuse>): void => void setTimeout(refuse, 5, ...args)
    const wrap = (guard: (...args: any[]) => void, isPatient: boolean): any =>
      async function wrapped(...args: unknown[]) {
        guard(...args)
        if (isPatient) await sleep(30)
      }
    server.get('/now', { preHandler: wrap(refuse, false) }, () => 'secret')
    server.get('/later', { preHandler: wrap(later, true) }, () => 'secret')
    server.get('/too-late', { preHandler: wrap(later, false) }, () => sleep(20).then(() => 'fine'))
  },
  async ({ port }) => {
    for (const [path, status] of Object.entries({ '/now': 403, '/later': 403, '/too-late': 200 })) {
      const answers = await exchange(port, get(path))
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [status],
        path,
      )
    }
  },
)

wireTest(
  'an onError hook that hijacks the reply is the only one to answer',
  (server) => {
    server.get(
      '/',
      {
        async onError(_request, reply) {
          reply.hijack()
          setTimeout(() => reply.raw.writeHead(418).end('mine'), 20)
        },
        errorHandler: () => 'of the error handler',
      },
      () => Promise.reject(new Error('secret')),
    )
  },
  async ({ port }) => {
    const answers = await exchange(port, get('/'))
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body]),
      [[418, 'mine']],
    )
  },
)

test(
  'the code that runs after handlerTimeout does not see an async store that another request has entered',
  { timeout: 5000 },
  async () => {
    const alive = setInterval(() => {}, 1000)
    const store = new AsyncLocalStorage<string>()
    const server = createServer({ handlerTimeout: 60 })
    server.setErrorHandler((_error, _request, reply) => reply.send({ store: store.getStore() ?? null }))
    server.get('/', () => new Promise(() => {}))
    await server.ready()
    const first = store.run('first', () => server.inject('/'))
    await sleep(30)
    assert.deepEqual((await server.inject('/')).json(), { store: null })
    await first
    clearInterval(alive)
  },
)
