/** Methods of classes that send streams of items: `async *ticks()` with `response: { 200: stream(…) }`. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { testServer } from 'alcove'
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
