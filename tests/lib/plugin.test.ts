import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type Server } from 'alcove/lib'
import fastifyPlugin from 'fastify-plugin'

const wrap = (meta: object) => fastifyPlugin(async () => {}, meta as never)

describe('a plugin that says what it needs', () => {
  for (const range of ['4.x', '^4.0.0', '5.x', '>=4.0.0', '4.x || 5.x']) {
    test(`is welcome with the version range ${range}`, async () => {
      const server = createServer()
      server.register(wrap({ name: 'mine', fastify: range }))
      await server.ready()
      assert.equal(server.hasPlugin('mine'), true)
      await server.close()
    })
  }
  const refused: [title: string, meta: object, code: string, message: RegExp][] = [
    ['another version', { name: 'mine', fastify: '3.x' }, 'ALC_ERR_PLUGIN_VERSION_MISMATCH', /mine.*3\.x/],
    [
      'a decorator that is missing',
      { name: 'mine', decorators: { request: ['user'] } },
      'ALC_ERR_PLUGIN_NOT_PRESENT_IN_INSTANCE',
      /'user'.*Request/,
    ],
    ['a plugin that is missing', { name: 'mine', dependencies: ['other'] }, 'ALC_ERR_PLUGIN_DEPENDENCY_MISSING', /'other'.*'mine'/],
  ]
  for (const [title, meta, code, message] of refused) {
    test(`fails the boot with ${title}`, async () => {
      const server = createServer()
      server.register(wrap(meta))
      await assert.rejects(async () => server.ready(), { code, message })
      await server.close()
    })
  }

  test('finds what is registered before it in an ancestor, not in a sibling', async () => {
    const server = createServer()
    server.register(wrap({ name: 'base' }))
    server.register(async (child: Server) => void child.register(wrap({ name: 'needs', dependencies: ['base'] })))
    await server.ready()
    await server.close()

    const other = createServer()
    other.register(async (child: Server) => void child.register(wrap({ name: 'base' })))
    other.register(async (child: Server) => void child.register(wrap({ name: 'needs', dependencies: ['base'] })))
    await assert.rejects(async () => other.ready(), { code: 'ALC_ERR_PLUGIN_DEPENDENCY_MISSING' })
    await other.close()
  })
})

for (const failure of [undefined, null]) {
  test(`a plugin that rejects with ${String(failure)} fails the boot`, async () => {
    const server = createServer()
    server.register(async function empty() {
      throw failure
    })
    await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_PLUGIN_REJECTED_EMPTY', message: /'empty'/ })
    await server.close()
  })
}
