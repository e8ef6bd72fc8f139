/** Replies that pass by the response schemas of their route: of a status, or of a media type, that none of them is for. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import { createServer, type ServerOptions } from 'alcove/lib'
import { recorder } from './wire.js'

const user = { type: 'object', properties: { name: { type: 'string' } } }
const payload = { name: 'Ann', password: 'secret' }

async function answers(undeclaredResponses: ServerOptions['undeclaredResponses']) {
  const { lines, logger } = recorder()
  const server = createServer({ logger, disableRequestLogging: true, ...(undeclaredResponses && { undeclaredResponses }) })
  const response = { 200: user, 202: { content: { 'application/json': { schema: user } } } }
  server.get('/:status', { schema: { response } }, (request, reply) => {
    const { status } = request.params as { status: string }
    const type = (request.query as { type?: string }).type
    if (type !== undefined) reply.type(type)
    return reply.code(Number(status)).send(payload)
  })
  server.get('/without', () => payload)
  const created: number = 201
  server.get('/text', { schema: { response } }, (_request, reply) => reply.code(created).send('text'))
  server.get('/failing', { schema: { response } }, () => {
    throw Object.assign(new Error('no'), { statusCode: 409 })
  })
  const get = async (url: string) => {
    const { statusCode, body } = await server.inject(url)
    return { status: statusCode, body }
  }
  return {
    get,
    lines: () => inspect(lines, { depth: 3 }),
    close: () => server.close(),
    count: () => lines.filter((line) => inspect(line).includes('declares no response')).length,
  }
}

const undeclared = ['/201', '/404', '/202?type=application/problem%2Bjson']
const declared = ['/200', '/200?type=application/problem%2Bjson', '/202', '/without', '/text']

describe('a reply without a response schema, of a route that has some', () => {
  test("is sent whole with undeclaredResponses: 'send'", async () => {
    const { get, count, close } = await answers('send')
    for (const url of undeclared) assert.match((await get(url)).body, /secret/, url)
    assert.equal(count(), 0)
    await close()
  })

  test("is logged once for each status and media type with 'warn', which names the route", async () => {
    const { get, count, lines, close } = await answers('warn')
    for (const url of declared) await get(url)
    assert.equal(count(), 0)
    for (const url of [...undeclared, ...undeclared]) assert.match((await get(url)).body, /secret/, url)
    assert.equal(count(), undeclared.length)
    assert.match(lines(), /GET \/:status replied 201 application\/json/)
    assert.match(lines(), /GET \/:status replied 202 application\/problem\+json/)
    await close()
  })

  test('is logged at most a hundred times', async () => {
    const { get, count, close } = await answers('warn')
    for (let index = 0; index < 150; index++) await get(`/202?type=application/x${index}%2Bjson`)
    assert.equal(count(), 100)
    await close()
  })

  test("is a 500 with 'refuse', and the log names the route and the status", async () => {
    const { get, lines, close } = await answers('refuse')
    for (const url of undeclared) {
      const { status, body } = await get(url)
      assert.equal(status, 500, url)
      assert.doesNotMatch(body, /secret|:status/, url)
      assert.equal(JSON.parse(body).code, 'ALC_ERR_REP_UNDECLARED')
    }
    assert.match(lines(), /GET \/:status has the status 201/)
    for (const url of declared) assert.ok((await get(url)).status < 300, url)
    assert.equal((await get('/failing')).status, 409, 'the payload of an error is the one of the framework')
    await close()
  })

  test('is logged by default, and in production sent', async () => {
    const before = process.env['NODE_ENV']
    try {
      for (const [environment, expected] of [
        ['production', 0],
        ['development', 1],
      ] as const) {
        process.env['NODE_ENV'] = environment
        const { get, count, close } = await answers(undefined)
        await get('/201')
        assert.equal(count(), expected, environment)
        await close()
      }
    } finally {
      if (before === undefined) delete process.env['NODE_ENV']
      else process.env['NODE_ENV'] = before
    }
  })
})
