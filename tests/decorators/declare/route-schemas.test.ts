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

    test('validates the requests of its method, whichever HTTP method it is', async () => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        assert.deepEqual(await fixture.ask('/each/7', method), { status: method === 'POST' ? 201 : 200, body: 7 }, method)
        assert.equal((await fixture.ask('/each/seven', method)).status, 400, method)
      }
      assert.deepEqual(await fixture.ask('/each/7/head', 'HEAD'), { status: 200, body: 'number' })
      assert.equal((await fixture.ask('/each/seven/head', 'HEAD')).status, 400)
    })

    test('is a fault beside @Schema', () => {
      assert.throws(() => fixture.checkRepeated(), /TwoSchemas\.find has @Schema or @Get\(path, schema\) more than once/)
    })

    test('is a fault if the schemas are undefined', () => {
      assert.throws(() => fixture.checkUndefined(), /WithoutSchema\.find has @Schema or @Get\(path, schema\) with undefined/)
    })
  })
}
