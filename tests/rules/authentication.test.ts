/** Authentication: the unmodified bearer-token plugin of the ecosystem, in one context. */
import assert from 'node:assert/strict'
import bearerAuth from '@fastify/bearer-auth'
import type { ContextSpec } from './faces.js'
import { rule } from './rule.js'

const handler = (): unknown => ({ ok: true })
const app: ContextSpec = {
  name: 'root',
  routes: [{ method: 'GET', path: '/open', handler }],
  imports: [
    {
      name: 'private',
      plugins: [[bearerAuth as never, { keys: ['first-key', 'second-key'] }]],
      routes: [{ method: 'GET', path: '/private', handler }],
      imports: [{ name: 'inner', routes: [{ method: 'GET', path: '/private/inner', handler }] }],
    },
    { name: 'public', routes: [{ method: 'GET', path: '/public', handler }] },
  ],
}

rule('Authentication 1', 'each of the accepted keys gives access to the context', async (build) => {
  const server = await build(app)
  for (const key of ['first-key', 'second-key']) {
    assert.equal((await server.inject({ url: '/private', headers: { authorization: `Bearer ${key}` } })).statusCode, 200)
  }
})
rule('Authentication 2', 'the context and its descendants are protected, no other', async (build) => {
  const server = await build(app)
  const status = async (url: string): Promise<number> => (await server.inject(url)).statusCode
  assert.deepEqual(await Promise.all(['/private', '/private/inner', '/open', '/public'].map(status)), [401, 401, 200, 200])
})
rule('Authentication 3', 'with an accepted token the route replies as usual, through a socket too', async (build) => {
  const server = await build(app)
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  for (const path of ['/private', '/private/inner']) {
    const reply = await fetch(address + path, { headers: { authorization: 'Bearer first-key' } })
    assert.deepEqual([reply.status, await reply.json()], [200, { ok: true }])
  }
})
for (const [title, headers] of [
  ['no header', {}],
  ['another token', { authorization: 'Bearer wrong' }],
  ['another scheme', { authorization: 'Basic first-key' }],
  ['no token', { authorization: 'Bearer' }],
  ['a token and more', { authorization: 'Bearer first-key and more' }],
] as [string, Record<string, string>][]) {
  rule('Authentication 4', `${title} is answered 401 and the handler never runs`, async (build) => {
    let isReached = false
    const server = await build({
      name: 'root',
      plugins: [[bearerAuth as never, { keys: ['first-key'] }]],
      routes: [{ method: 'GET', path: '/', handler: () => ((isReached = true), {}) }],
    })
    const reply = await server.inject({ url: '/', headers })
    assert.equal(reply.statusCode, 401)
    assert.equal(typeof reply.json().error, 'string')
    assert.equal(isReached, false)
  })
}
rule('Decision 11', 'the options of the bearer-token plugin work: an auth function, and a custom payload', async (build) => {
  const server = await build({
    name: 'root',
    plugins: [
      [
        bearerAuth as never,
        {
          keys: new Set(),
          auth: async (key: string) => key === 'from a database',
          errorResponse: (error: Error) => ({ mine: error.message }),
          contentType: 'application/json',
        },
      ],
    ],
    routes: [{ method: 'GET', path: '/', handler }],
  })
  assert.equal((await server.inject({ url: '/', headers: { authorization: 'Bearer from a database' } })).statusCode, 200)
  const refused = await server.inject({ url: '/', headers: { authorization: 'Bearer other' } })
  assert.deepEqual([refused.statusCode, Object.keys(refused.json())], [401, ['mine']])
})
