/** `stream` and `event` as declarations: what they refuse, and where a stream may stand. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, errorCodes, event, stream, declareReplies } from 'alcove/lib'

const tick = { type: 'object', properties: { n: { type: 'integer' } } } as const

/** The message with which a route of these schemas fails the boot. */
async function faultOf(schema: Record<string, unknown>): Promise<string> {
  const server = createServer({ logger: false })
  server.post('/ticks', { schema }, () => '')
  try {
    await server.ready()
  } catch (error) {
    return (error as Error).message
  } finally {
    await server.close()
  }
  return 'none'
}

describe('stream', () => {
  test('refuses what is not a schema, options that it does not have, and a heartbeat that is no time', () => {
    assert.throws(() => stream(undefined), { name: 'TypeError', message: /^stream\(undefined\): .* circle of imports/ })
    assert.throws(() => stream(tick, { heartbeet: 1 } as never), {
      message: "stream(…) has no option 'heartbeet'. Did you mean 'heartbeat'?",
    })
    for (const heartbeat of [-1, 0.5, NaN, 2 ** 31, '5' as never])
      assert.throws(() => stream(tick, { heartbeat }), {
        name: 'TypeError',
        message: /as heartbeat\. Write a whole number of milliseconds/,
      })
  })

  test('is accepted under statuses of success that have a body', async () => {
    for (const status of ['200', '201', '299', '2xx', '2XX'])
      assert.equal(await faultOf({ response: { [status]: stream(tick) } }), 'none', status)
  })

  const misplaced: [title: string, schema: Record<string, unknown>, part: string, cure: RegExp][] = [
    ['under a status of failure', { response: { 404: stream(tick) } }, 'response 404', /Write it under 200/],
    ['under default', { response: { default: stream(tick) } }, 'response default', /Write it under 200/],
    ['under a status without a body', { response: { 204: stream(tick) } }, 'response 204', /has no body/],
    ['in a body', { body: stream(tick) }, 'body', /Only a response/],
    ['within a part of a request', { querystring: { type: 'object', properties: { a: stream(tick) } } }, 'querystring', /Only a response/],
    ['in a content map', { response: { 200: { content: { 'a/b': { schema: stream(tick) } } } } }, 'response 200', /Write 200: stream/],
    ['within another schema', { response: { 200: { type: 'array', items: stream(tick) } } }, 'response 200', /Write 200: stream/],
    ['within itself', { response: { 200: stream(stream(tick)) } }, 'response 200', /of one item/],
  ]
  for (const [title, schema, part, cure] of misplaced) {
    test(`fails the boot ${title}, and the message names the part and a cure`, async () => {
      const message = await faultOf(schema)
      assert.ok(message.startsWith(`Invalid schema for POST: /ticks: stream(…) has no effect in ${part}. `), message)
      assert.match(message, cure)
    })
  }

  test('is refused in a shared schema and in the declared replies of a guard', () => {
    const server = createServer({ logger: false })
    assert.throws(() => server.addSchema({ $id: 'Ticks', properties: { all: stream(tick) } }), {
      code: 'ALC_ERR_SETTING_INVALID',
      message: /^The shared schema 'Ticks' has stream\(…\) in it/,
    })
    assert.throws(() => declareReplies(() => {}, { responses: { 200: stream(tick) } }), {
      code: 'ALC_ERR_SETTING_INVALID',
      message: /has stream\(…\) as the response 200, which only the schema of a route can have/,
    })
  })

  test('takes no shorthand, and names the status of an item that cannot be compiled', async () => {
    assert.match(await faultOf({ response: { 200: stream({ n: { type: 'integer' } }) } }), /shorthand.*\(in the schema of response 200\)/)
    assert.match(await faultOf({ response: { 200: stream({ $ref: 'Nowhere#' }) } }), /Nowhere.*\(in the schema of response 200\)/)
  })

  test('may be declared for several routes by one object', async () => {
    const server = createServer({ logger: false })
    const schema = { response: { 200: stream(tick) } }
    for (const path of ['/a', '/b'])
      server.get(path, { schema }, async function* () {
        yield { n: 1, hidden: true }
      })
    for (const url of ['/a', '/b']) assert.equal((await server.inject(url)).body, '{"n":1}\n')
    await server.close()
  })
})

test('event refuses unknown fields, and values that would forge other fields or events', () => {
  for (const fields of [{ name: 'a' }, { id: 7 }, { id: 'a\nb' }, { id: 'a\0' }, { event: 'a\rdata: x' }, { retry: 1.5 }, { retry: -1 }])
    assert.throws(() => event({}, fields as object), { code: 'ALC_ERR_REP_EVENT_INVALID' }, JSON.stringify(fields))
  assert.ok(new errorCodes.ALC_ERR_REP_EVENT_INVALID('x') instanceof TypeError)
})
