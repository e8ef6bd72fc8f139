/** The first app in the forms that the home page of the site shows: each answers the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap, type Server } from 'alcove'
import { App as WithJsonSchema } from './app.js'
import { server as withoutClasses } from './functions.js'
import { App as WithTypeBox } from './typebox.js'
import { App as WithZod } from './zod.js'

const forms: readonly (readonly [name: string, start: () => Promise<Server>])[] = [
  ['with JSON Schema', () => bootstrap(WithJsonSchema)],
  ['with TypeBox', () => bootstrap(WithTypeBox)],
  ['with Zod', () => bootstrap(WithZod)],
  ['without classes', async () => withoutClasses],
]

for (const [name, start] of forms) {
  test(`${name}, the first app stores a greeting, finds it by its number, and refuses what its schemas do not allow`, async () => {
    const server = await start()
    const answer = async (method: 'GET' | 'POST', url: string, body?: object) => {
      const reply = await server.inject({ method, url, ...(body && { payload: body }) })
      return [reply.statusCode, reply.json()]
    }
    assert.deepEqual(await answer('POST', '/greetings', { name: 'Ada' }), [201, { id: 1, name: 'Ada' }])
    assert.deepEqual(await answer('GET', '/greetings/1'), [200, { id: 1, name: 'Ada' }])
    const refused = [
      await answer('POST', '/greetings', {}),
      await answer('POST', '/greetings', { name: '' }),
      await answer('GET', '/greetings/x'),
      await answer('GET', '/greetings/2'),
    ]
    assert.deepEqual(
      refused.map(([status]) => status),
      [400, 400, 400, 404],
    )
    await server.close()
  })
}
