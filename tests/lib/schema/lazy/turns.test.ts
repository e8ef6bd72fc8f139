import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { createServer, type Server } from 'alcove/lib'
import { z } from 'zod'
import { compileLater, isTurnTaken, noteCompilation } from '../../../../lib/schema/lazy/turns.js'

const ROUTES = 10

/** Counts the turns of the event loop until the test ends. */
function countTurns(t: TestContext): () => number {
  let count = 0
  let timer = setImmediate(function tick() {
    count++
    timer = setImmediate(tick)
  })
  t.after(() => clearImmediate(timer))
  return () => count
}

/** Schemas that are alike for no two routes and for no two tests. */
let last = 0
const own = (): { type: 'object'; properties: object } => ({
  type: 'object',
  properties: { n: { type: 'integer' }, [`own${last++}`]: { type: 'string' } },
})

const kinds: Record<string, () => object> = {
  'a schema of bodies': () => ({ body: own() }),
  'a schema by media type': () => ({ body: { content: { 'application/json': { schema: own() } } } }),
  'a schema of headers': () => ({ headers: own() }),
  'a schema of replies': () => ({ response: { 200: own() } }),
  'a schema of replies by media type': () => ({ response: { '2xx': { content: { 'application/json': { schema: own() } } } } }),
  'a schema of Zod': () => ({ body: z.object({ n: z.number(), [`own${last++}`]: z.string().optional() }) }),
  'a schema of Zod whose texts are coerced': () => ({
    querystring: z.object({ n: z.number().refine((n) => n > 0), [`own${last++}`]: z.string().optional() }),
  }),
}

const send = (server: Server, url: string): Promise<{ statusCode: number; body: string }> =>
  server.inject({ method: 'POST', url: `${url}?n=1`, payload: { n: 1 } })

describe('first requests that come at once', () => {
  for (const [kind, schemaOf] of Object.entries(kinds)) {
    test(`have at most one schema compiled in a turn of the event loop, and later ones none: ${kind}`, async (t) => {
      const turns = countTurns(t)
      const server = createServer()
      let seen: number[] = []
      const urls = Array.from({ length: ROUTES }, (_, index) => `/${index}`)
      for (const url of urls) server.post(url, { schema: schemaOf() }, () => (seen.push(turns()), { n: 1 }))
      await server.ready()
      const replies = await Promise.all(urls.map((url) => send(server, url)))
      assert.deepEqual(
        replies.map(({ statusCode, body }) => `${statusCode} ${body}`),
        urls.map(() => '200 {"n":1}'),
      )
      assert.equal(new Set(seen).size, ROUTES)
      seen = []
      await Promise.all(urls.map((url) => send(server, url)))
      assert.ok(new Set(seen).size < ROUTES, 'nothing waits once it is compiled')
      await server.close()
    })
  }

  test('for one route wait for one compilation', async (t) => {
    const turns = countTurns(t)
    const server = createServer()
    const seen: number[] = []
    server.post('/other', { schema: { body: own() } }, () => 'other')
    server.post('/', { schema: { body: own() } }, () => (seen.push(turns()), 'ok'))
    await server.ready()
    const replies = await Promise.all([send(server, '/other'), ...Array.from({ length: 5 }, () => send(server, '/'))])
    assert.ok(replies.every(({ statusCode }) => statusCode === 200))
    assert.deepEqual([seen.length, new Set(seen).size], [5, 1])
    await server.close()
  })

  test('are refused if they are invalid, also after they have waited', async () => {
    const server = createServer()
    for (const url of ['/a', '/b']) server.post(url, { schema: { body: { ...own(), required: ['missing'] } } }, () => assert.fail())
    await server.ready()
    const replies = await Promise.all(['/a', '/b', '/b'].map((url) => send(server, url)))
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [400, 400, 400],
    )
    await server.close()
  })

  test('get their functions at once if a hook calls them', async () => {
    const server = createServer()
    const results: unknown[] = []
    for (const url of ['/a', '/b', '/c']) {
      server.post(
        url,
        {
          schema: { body: own() },
          preValidation: async (request) =>
            void results.push(request.getValidationFunction('body')!({ n: 'x' }), request.validateInput({ n: 1 }, 'body')),
        },
        () => 'ok',
      )
    }
    await server.ready()
    await Promise.all(['/a', '/b', '/c'].map((url) => send(server, url)))
    assert.deepEqual(results, [false, true, false, true, false, true])
    await server.close()
  })

  test('are answered with what was sent, though the payload changes afterwards', async () => {
    const server = createServer()
    for (const url of ['/a', '/b', '/c']) {
      server.post(url, { schema: { response: { 200: own() } } }, (_request, reply) => {
        const payload = { n: 1 }
        reply.send(payload)
        payload.n = 2
      })
    }
    await server.ready()
    const replies = await Promise.all(['/a', '/b', '/c'].map((url) => send(server, url)))
    assert.deepEqual(
      replies.map(({ body }) => body),
      replies.map(() => '{"n":1}'),
    )
    await server.close()
  })
})

test('a compilation that fails does not keep the next ones from their turns', async () => {
  noteCompilation()
  assert.ok(isTurnTaken())
  const failed = compileLater(() => {
    throw new Error('no')
  })
  const done = compileLater(noteCompilation)
  await assert.rejects(failed, { message: 'no' })
  await done
  while (isTurnTaken()) await new Promise((resolve) => setImmediate(resolve))
})
