/** Methods of classes that send streams of items: `async *ticks()` with `response: { 200: stream(…) }`. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { explain, testServer } from 'alcove'
import { describe as describeApp, openapi } from 'alcove/contract'
import { builds } from '../../fixtures/both-builds.js'
import * as ownDecorators from '../../fixtures/standard/streams.js'

const events = { accept: 'text/event-stream' }
const limit = { timeout: 20_000 }

for (const { name, load } of builds) {
  describe(`a method that is an async generator, with ${name}`, () => {
    let fixture: typeof ownDecorators
    before(async () => (fixture = await load('streams', ownDecorators)))

    test('sends its items by their schema, after the request was validated', limit, async () => {
      const text = (response: Response): Promise<string> => response.text()
      assert.equal(await fixture.ask('/ticks/list?from=4', {}, text), '{"n":4}\n{"n":5}\n{"n":6}\n')
      assert.match(await fixture.ask('/ticks/list?from=x', {}, text), /"statusCode":400/)
    })

    test('goes on from the id that the client saw last', limit, async () => {
      const body = await fixture.ask('/ticks/resumed', { ...events, 'last-event-id': '41' }, (response) => response.text())
      assert.equal(body, 'id: 42\ndata: {"n":42}\n\n')
    })

    test('keeps its request-scoped instances until it has ended, and an around hook is over before its first item', limit, async () => {
      await fixture.ask('/endless', events, async (response) => {
        const reader = response.body!.getReader()
        for (let text = ''; !text.includes('"n":3');) text += new TextDecoder().decode((await reader.read()).value)
        await reader.cancel()
        while (!fixture.seen.some((entry) => entry.startsWith('session'))) await sleep(5)
      })
      const { seen } = fixture
      assert.deepEqual(seen.slice(0, 2), ['around is over', 'item 1'])
      assert.deepEqual(seen.slice(-2), ['generator for /endless ended', 'session of /endless closed'])
    })
  })
}

test('a test server returns the whole text of a stream that ends', async () => {
  await using app = await testServer(ownDecorators.App)
  assert.equal((await app.inject('/ticks/list?from=1')).body, '{"n":1}\n{"n":2}\n{"n":3}\n')
})

test('the description of a stream has the schema of its items, and documents have what their version knows', () => {
  const route = describeApp(ownDecorators.App).routes.find(({ url }) => url === '/ticks/resumed')!
  assert.deepEqual(route.responses['200']!.itemSchema, { $ref: 'Tick#' })
  assert.deepEqual(Object.keys(route.responses['200']!.content), ['text/event-stream', 'application/jsonl', 'application/x-ndjson'])
  assert.deepEqual(route.responses['406']!.from, ['alcove'])
  const info = { title: 'Ticks', version: '1.0.0' }
  const contentOf = (version: '3.1' | '3.2', onWarning?: (warning: { message: string }) => void): any =>
    (openapi(ownDecorators.App, { info, version, ...(onWarning && { onWarning }) }).paths['/ticks/resumed'] as any).get.responses['200']
      .content
  const item = { $ref: '#/components/schemas/Tick' }
  const data = { type: 'string', contentMediaType: 'application/json', contentSchema: item }
  assert.deepEqual(contentOf('3.2'), {
    'text/event-stream': {
      itemSchema: {
        type: 'object',
        required: ['data'],
        properties: { data, event: { type: 'string' }, id: { type: 'string' }, retry: { type: 'integer', minimum: 0 } },
      },
    },
    'application/jsonl': { itemSchema: item },
    'application/x-ndjson': { itemSchema: item },
  })
  const warnings: string[] = []
  const content = contentOf('3.1', ({ message }) => warnings.push(message))
  assert.deepEqual([content['text/event-stream'].schema.type, content['application/jsonl'].schema.type], ['string', 'string'])
  assert.ok(
    warnings.some((text) => /resumed\): OpenAPI 3\.1 has no schema for the items of a stream.*version: '3\.2'/.test(text)),
    warnings.join('\n'),
  )
})

test('explain shows the media types of a stream', async () => {
  await using app = await testServer(ownDecorators.App)
  const text = String(explain(app.server).route('/endless'))
  assert.match(text, /\nresponses:\n {2}200 text\/event-stream, application\/jsonl, application\/x-ndjson {2}\(route\)\n/)
})
