/** Sources of payloads that are not sent do not stay open. */
import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { describe, test } from 'node:test'
import {
  destroySource,
  destroyStream,
  findLostContents,
  isObservable,
  isResponse,
  isStream,
  isUnsentSource,
  isWebStream,
  markAsSent,
} from '../../../lib/http/payload.js'

test('a stream, a web stream and a Response are told apart', () => {
  const kinds = (payload: unknown): boolean[] => [isStream(payload), isWebStream(payload), isResponse(payload)]
  assert.deepEqual(kinds(new PassThrough()), [true, false, false])
  assert.deepEqual(kinds(new ReadableStream()), [false, true, false])
  assert.deepEqual(kinds(new Response('text')), [false, false, true])
  assert.deepEqual(kinds({}), [false, false, false])
  assert.deepEqual(kinds('text'), [false, false, false])
})

test('a value that JSON writes as `{}` although it has contents is named, with what to send instead', () => {
  for (const nothing of [undefined, null, {}, [], 'text', { next: () => {} }, new Date(), new Error('x'), Object.create(null)])
    assert.deepEqual([isResponse(nothing), findLostContents(nothing)], [false, undefined])
  const kinds = [
    (function* () {})(),
    new Map().values(),
    new Map(),
    new Set(),
    new ArrayBuffer(1),
    new Blob([]),
    new URLSearchParams(),
    new Headers(),
  ]
  assert.deepEqual(
    kinds.map((value) => findLostContents(value)?.[0]),
    ['generator', 'generator', 'Map', 'Set', 'ArrayBuffer', 'Blob', 'URLSearchParams', 'Headers'],
  )
})

test('an Observable has `subscribe`, and is no emitter of events', () => {
  const subscribe = (): void => {}
  assert.deepEqual(
    [{ subscribe }, { subscribe, on: subscribe }, {}, { on: subscribe }].map((payload) => isObservable(payload)),
    [true, false, false, false],
  )
})

describe('a source that is not sent', () => {
  test('is destroyed if it is a stream, and an error that it has then is handled', async () => {
    const stream = new Readable({ read() {}, destroy: (_error, done) => done(new Error('late')) })
    void destroySource(stream)
    assert.equal(stream.destroyed, true)
    await new Promise((resolve) => stream.once('close', resolve))
  })

  test('is cancelled if it is a web stream or the body of a Response', () => {
    let cancelled = 0
    void destroySource(new ReadableStream({ cancel: () => void cancelled++ }))
    void destroySource(new Response(new ReadableStream({ cancel: () => void cancelled++ })))
    assert.equal(cancelled, 2)
  })

  test('is left alone if it is locked: the rejection of its cancelling is handled', async () => {
    const stream = new ReadableStream()
    stream.getReader()
    void destroySource(stream)
    await new Promise((resolve) => setImmediate(resolve))
  })

  test('may be no source at all', () => {
    const hostile = Object.defineProperty({}, 'pipe', {
      get() {
        throw new Error('no')
      },
    })
    const called: string[] = []
    const emitter = { on: () => called.push('on'), destroy: () => called.push('destroy') }
    for (const payload of [null, undefined, 'text', 1, {}, [], new Response(), hostile, emitter])
      assert.equal(destroySource(payload), undefined)
    assert.deepEqual(called, [])
  })
})

test('a payload that comes too late may be a source that is not sent, unless a reply sends it, or it is not an object', () => {
  const [late, sent] = [new PassThrough(), new PassThrough()]
  markAsSent(sent)
  assert.deepEqual(
    [late, sent, null, undefined, 'text'].map((payload) => isUnsentSource(payload)),
    [true, false, false, false, false],
  )
})

test('a promise that comes too late is not a source, and its rejection is handled', async () => {
  assert.equal(isUnsentSource(Promise.reject(new Error('late'))), false)
  await new Promise((resolve) => setImmediate(resolve))
})

test('the `close` of a stream gets a callback, as that of a file does', () => {
  let given: unknown
  destroyStream({ close: (callback: unknown) => (given = callback) })
  assert.equal((given as () => void)(), undefined)
})

test('what closes after a source was destroyed is the stream, or the promise of the web stream', async () => {
  const stream = new PassThrough()
  assert.equal(destroySource(stream), stream)
  let isCancelled = false
  const cancel = (): void => void (isCancelled = true)
  await destroySource(new ReadableStream({ cancel }))
  assert.equal(isCancelled, true)
  for (const payload of ['text', null, {}, new Response()]) assert.equal(destroySource(payload), undefined)
})

test('a stream without `destroy` is closed, one without `close` aborted, and the result is false if it has none of them', () => {
  const called: string[] = []
  const method = (name: string) => () => void called.push(name)
  assert.equal(destroyStream({ destroy: method('destroy'), close: method('close'), abort: method('abort') }), true)
  assert.equal(destroyStream({ close: method('close'), abort: method('abort') }), true)
  assert.equal(destroyStream({ abort: method('abort') }), true)
  assert.equal(destroyStream({}), false)
  assert.deepEqual(called, ['destroy', 'close', 'abort'])
})
