/** Schemas in the decorator of the route: `Get('/:id', schema)`. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { builds } from '../../fixtures/both-builds.js'
import * as ownDecorators from '../../fixtures/standard/route-schemas.js'

for (const { name, load } of builds) {
  describe(`a route decorator with schemas, with ${name}`, () => {
    let fixture: typeof ownDecorators
    before(async () => (fixture = await load('route-schemas', ownDecorators)))

    test('validates the requests of its method and serializes its replies', async () => {
      assert.deepEqual(await fixture.ask('/items/7'), { status: 200, body: { next: 8 } })
      assert.equal((await fixture.ask('/items/seven')).status, 400)
    })

    test('validates the requests of a route class', async () => {
      assert.deepEqual(await fixture.ask('/search?page=1'), { status: 200, body: { page: 2 } })
      assert.equal((await fixture.ask('/search')).status, 400)
    })

    test('is a fault if the schemas are undefined', () => {
      assert.throws(() => fixture.checkUndefined(), /WithoutSchema\.find has @Schema with undefined/)
    })
  })
}
