/** `throws` and `errors` of decorated classes. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { builds } from '../../fixtures/both-builds.js'
import * as ownDecorators from '../../fixtures/standard/thrown-errors.js'

for (const { name, load } of builds) {
  describe(`errors that decorated classes list, with ${name}`, () => {
    let fixture: typeof ownDecorators
    before(async () => (fixture = await load('thrown-errors', ownDecorators)))

    test('are serialized by their schemas, listed by the route, its controller or a plugin above it', async () => {
      const problem = (status: number, title: string, instance: string, members: object): object => ({
        type: 'about:blank',
        title,
        status,
        instance,
        ...members,
      })
      const [none, busy, both, guarded, one] = await fixture.ask(
        '/api/users/none',
        '/api/users/busy',
        '/api/users/both',
        '/api/users/guarded',
        '/api/one',
      )
      assert.deepEqual(none, problem(404, 'Not Found', '/api/users/none', { id: 'none' }))
      assert.deepEqual(busy, problem(409, 'Conflict', '/api/users/busy', { until: 12 }))
      assert.deepEqual(both, problem(409, 'Conflict', '/api/users/both', { until: 13 }))
      assert.deepEqual(guarded, problem(403, 'Forbidden', '/api/users/guarded', { role: 'admin' }))
      assert.deepEqual(one, problem(404, 'Not Found', '/api/one', { id: 'one' }))
    })
  })
}
