/** A request that is not answered in time is answered for its handler. The clock of these tests is advanced by hand. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mock, test } from 'node:test'
import { promisify } from 'node:util'
import { createServer, type InjectResponse, type Reply, type Server } from 'alcove/lib'
import { recorder } from '../../../security/wire.js'

const now = performance.now.bind(performance)
let advanced = 0
performance.now = () => now() + advanced
mock.timers.enable({ apis: ['setTimeout'] })

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
const never = (): Promise<never> => new Promise(() => {})

/** Lets time pass, and then what is due in this time. */
async function advance(ms: number): Promise<void> {
  advanced += ms
  mock.timers.tick(ms)
  for (let count = 0; count < 3; count++) await turn()
}

/** The time of a request in these tests, ms */
const TIME = 100

interface Asked {
  readonly answer: Promise<InjectResponse>
  /** The status of the reply so far, and `undefined` until it has one. */
  readonly status: () => number | undefined
  readonly errors: () => string[]
}

async function ask(
  handler: (reply: Reply, signal: AbortSignal) => unknown,
  declare: (server: Server) => unknown = () => {},
): Promise<Asked> {
  const { lines, logger } = recorder()
  const server = createServer({ handlerTimeout: TIME, logger })
  await declare(server)
  server.get('/', ({ signal }, reply) => handler(reply, signal) as never)
  let status: number | undefined
  const answer = Promise.resolve(server.inject('/'))
  void answer.then(({ statusCode }) => (status = statusCode))
  for (let count = 0; count < 3; count++) await turn()
  return {
    answer,
    status: () => status,
    errors: () => lines.filter(({ level }) => level === 'error').map(({ given, message }) => message ?? String(given)),
  }
}

test('a request is answered when its time is over, and not before', async () => {
  const { answer, status } = await ask(never)
  await advance(TIME - 20)
  assert.equal(status(), undefined)
  await advance(40)
  assert.equal(status(), 503)
  assert.equal((await answer).json().code, 'ALC_ERR_HANDLER_TIMEOUT')
})

test('a response that the application has begun is left to it: the signal of the request is not aborted', async () => {
  let raw!: Reply['raw']
  let isAborted: (() => boolean) | undefined
  const { answer, errors } = await ask((reply, signal) => {
    isAborted = () => signal.aborted
    raw = reply.raw
    raw.writeHead(200)
    raw.write('mine, ')
  })
  await advance(2_000)
  assert.equal(isAborted!(), false)
  raw.end('all of it')
  assert.equal((await answer).body, 'mine, all of it')
  assert.deepEqual(errors(), [])
})

test('a listener of the signal may begin the response: it is left to it', async () => {
  let raw!: Reply['raw']
  const { answer, errors } = await ask((reply, signal) => {
    raw = reply.raw
    signal.addEventListener('abort', () => {
      raw.writeHead(200)
      raw.write('mine, ')
    })
  })
  await advance(TIME + 20)
  await advance(2_000)
  raw.end('all of it')
  assert.equal((await answer).body, 'mine, all of it')
  assert.deepEqual(errors(), [])
})

test('a listener of the signal may hijack the reply while a hook holds it up', async () => {
  let raw!: Reply['raw']
  const { answer, errors } = await ask(
    (reply, signal) => {
      raw = reply.raw
      signal.addEventListener('abort', () => void reply.hijack())
      void reply.send('held up')
    },
    (server) => server.addHook('onSend', never),
  )
  await advance(TIME + 20)
  raw.end('mine')
  assert.equal((await answer).body, 'mine')
  assert.deepEqual(errors(), [])
})

test('a reply that a hook holds up is replaced at once', async () => {
  const { status } = await ask(
    (reply) => void reply.send('held up'),
    (server) => server.addHook('onSend', never),
  )
  await advance(TIME + 20)
  assert.equal(status(), 503)
})

test('error handlers have a second to answer; then the framework does', async () => {
  const { status, answer } = await ask(never, (server) => server.setErrorHandler(() => never()))
  await advance(TIME + 20)
  await advance(950)
  assert.equal(status(), undefined)
  await advance(100)
  assert.equal(status(), 503)
  await answer
})

test('an error handler that answers within a second is not replaced', async () => {
  let handling: Reply | undefined
  const { answer, errors } = await ask(never, (server) => server.setErrorHandler((_error, _request, reply) => void (handling = reply)))
  await advance(TIME + 20)
  await advance(900)
  void handling!.code(504).send('handled')
  const { statusCode, body } = await answer
  assert.deepEqual([statusCode, body], [504, 'handled'])
  await advance(1_000)
  assert.deepEqual(errors(), [])
})

test('a listener of the signal that replies has a second for the hooks of its reply; then the framework answers', async () => {
  let release!: () => void
  for (const isReleased of [true, false]) {
    const { answer, status } = await ask(
      (reply, signal) => signal.addEventListener('abort', () => void reply.send('of the listener')),
      (server) => server.addHook('onSend', () => new Promise((resolve) => (release = () => resolve(undefined)))),
    )
    await advance(TIME + 20)
    await advance(900)
    assert.equal(status(), undefined)
    if (isReleased) release()
    await turn()
    await advance(200)
    const { statusCode, body } = await answer
    if (isReleased) assert.deepEqual([statusCode, body], [200, 'of the listener'])
    else assert.equal(statusCode, 503)
  }
})

test('a request whose error handler has replied leaves no timer', async (t) => {
  const timers = t.mock.method(globalThis, 'setTimeout')
  const isForGrace = ({ arguments: [, ms] }: { arguments: unknown[] }): boolean => ms === 1_000
  const { answer } = await ask(never)
  await advance(TIME + 20)
  await answer
  assert.equal(timers.mock.calls.filter(isForGrace).length, 0)
  const cleared = t.mock.method(globalThis, 'clearTimeout')
  const late = await ask(never, (server) => server.setErrorHandler(async (_error, _request, reply) => (await turn(), reply.send('late'))))
  await advance(TIME + 20)
  await late.answer
  const [grace] = timers.mock.calls.filter(isForGrace)
  assert.ok(cleared.mock.calls.some(({ arguments: [timer] }) => timer === grace!.result))
})

test('an injected request whose handler and error handler hang is answered, although nothing else keeps the process alive', async () => {
  const code = `
    import { createServer } from ${JSON.stringify(new URL('../../../../lib/index.js', import.meta.url).href)}
    const server = createServer({ handlerTimeout: 50 })
    server.setErrorHandler(() => new Promise(() => {}))
    server.get('/', () => new Promise(() => {}))
    console.log((await server.inject('/')).statusCode)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code])
  assert.equal(stdout, '503\n')
})
