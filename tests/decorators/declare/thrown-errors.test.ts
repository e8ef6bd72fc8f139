/** `throws` and `errorFormat` of decorated classes. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { bootstrap, testServer } from 'alcove'
import { describe as describeApplication } from 'alcove/contract'
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

    test('may be listed by a guard, for the routes that it covers and no others', async () => {
      const unauthorized = (instance: string): object => ({
        type: 'about:blank',
        title: 'Unauthorized',
        status: 401,
        instance,
        realm: 'all',
      })
      assert.deepEqual(await fixture.ask('/api/own', '/api/guarded/all'), [unauthorized('/api/own'), unauthorized('/api/guarded/all')])
      const covered = describeApplication(fixture.App).routes.filter(({ responses }) => '401' in responses)
      assert.deepEqual(
        covered
          .filter(({ isAutomatic }) => !isAutomatic)
          .map(({ url, responses }) => [url, Object.keys(responses['401']!.content), responses['401']!.from]),
        [
          ['/api/own', ['application/problem+json'], ['route']],
          ['/api/guarded/all', ['application/problem+json'], ['App > Api > Guarded']],
        ],
      )
      await using app = await testServer(fixture.App)
      assert.equal((await app.inject('/api/own')).statusCode, 401)
    })

    test('are in the description of the application, which is the same with and without a server', async () => {
      const described = describeApplication(fixture.App)
      const both = described.routes.find(({ place }) => place === 'App > Api > Users.both')!
      const listed = ['403', '404', '409'].map((status) => Object.entries(both.responses[status]!.content))
      assert.ok(listed.every((content) => content.length === 1 && content[0]![0] === 'application/problem+json'))
      assert.deepEqual(both.responses['403']!.from, ['App > Api'])
      assert.ok(JSON.stringify(both.responses['409']!.content).includes('"until":{"type":"integer"}'))
      const server = await bootstrap(fixture.App)
      assert.deepEqual(describeApplication(server), described)
      await server.close()
    })
  })
}
