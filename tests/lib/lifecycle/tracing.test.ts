import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'
import { isTraced } from '../../../lib/lifecycle/tracing.js'

test('tracing:alcove.request.handler publishes the events of handlers, and carries a store through them', async () => {
  const channel = tracingChannel<any, any>('alcove.request.handler')
  const events: string[] = []
  const note =
    (name: string) =>
    ({ route, async, error }: any): void =>
      void events.push([route.method, route.url, name, async && 'async', error?.message].filter(Boolean).join(' '))
  const listeners = { start: note('start'), end: note('end'), asyncStart: note('settled'), asyncEnd: () => {}, error: note('error') }
  const store = new AsyncLocalStorage<string>()

  const server = createServer()
  server.get('/sync', () => ({ store: store.getStore() }))
  server.get('/async', async () => {
    await Promise.resolve()
    return { store: store.getStore() }
  })
  server.get('/sent', (_request, reply) => reply.send('sent'))
  server.get('/sent-only', (_request, reply) => void reply.send('sent'))
  server.get('/fails', async () => {
    throw new Error('no luck')
  })
  server.get('/throws', () => {
    throw new Error('at once')
  })
  assert.deepEqual((await server.inject('/sync')).json(), {})

  channel.subscribe(listeners)
  channel.start.bindStore(store, ({ request }) => `of ${request.url}`)
  try {
    assert.deepEqual((await server.inject('/sync')).json(), { store: 'of /sync' })
    assert.deepEqual((await server.inject('/async')).json(), { store: 'of /async' })
    assert.equal((await server.inject('/sent')).body, 'sent')
    assert.equal((await server.inject('/sent-only')).body, 'sent')
    assert.equal((await server.inject('/fails')).statusCode, 500)
    assert.equal((await server.inject('/throws')).statusCode, 500)
  } finally {
    channel.unsubscribe(listeners)
    channel.start.unbindStore(store)
  }
  assert.deepEqual(events, [
    'GET /sync start',
    'GET /sync end',
    'GET /async start',
    'GET /async end async',
    'GET /async settled async',
    'GET /sent start',
    'GET /sent end',
    'GET /sent-only start',
    'GET /sent-only end',
    'GET /fails start',
    'GET /fails end async',
    'GET /fails error async no luck',
    'GET /fails settled async no luck',
    'GET /throws start',
    'GET /throws error at once',
    'GET /throws end at once',
  ])
})

test('the event of an error has the status that the error stands for, and changes nothing of the reply', async () => {
  const channel = tracingChannel<any, any>('alcove.request.handler')
  const seen: number[] = []
  const listeners: any = { error: ({ reply }: any) => seen.push(reply.statusCode) }
  const server = createServer()
  const failing = (path: string, fields: object): void =>
    void server.get(path, async () => {
      throw Object.assign(new Error('failed'), fields)
    })
  failing('/503', { statusCode: 503 })
  failing('/418', { status: 418 })
  failing('/plain', {})
  failing('/700', { statusCode: 700 })
  server.register(async (child) => {
    child.setErrorHandler((_error, _request, reply) => ({ status: reply.statusCode }))
    child.get('/handled', () => {
      throw new Error('failed')
    })
  })
  channel.subscribe(listeners)
  try {
    const statuses = []
    for (const path of ['/503', '/418', '/plain', '/700', '/handled']) statuses.push((await server.inject(path)).statusCode)
    assert.deepEqual(statuses, [503, 418, 500, 500, 200])
    assert.deepEqual(seen, [503, 418, 500, 500, 500])
  } finally {
    channel.unsubscribe(listeners)
    await server.close()
  }
})

test('handlers are traced for a subscriber of one channel, also if the runtime does not say it of all of them, as Bun', () => {
  const { start, end, asyncStart, asyncEnd, error } = tracingChannel('alcove.test.traced')
  for (const handling of [tracingChannel('alcove.test.traced'), { start, end, asyncStart, asyncEnd, error }]) {
    const listener = (): void => {}
    assert.equal(isTraced(handling as ReturnType<typeof tracingChannel>), false)
    error.subscribe(listener)
    assert.equal(isTraced(handling as ReturnType<typeof tracingChannel>), true)
    error.unsubscribe(listener)
  }
})
