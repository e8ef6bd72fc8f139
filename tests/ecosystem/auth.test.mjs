import assert from 'node:assert/strict'
import { it } from 'node:test'
import auth from '@fastify/auth'
import basicAuth from '@fastify/basic-auth'
import bearerAuth from '@fastify/bearer-auth'
import jwt5 from '@fastify/jwt'
import jwt4 from 'jwt4'
import { testPlugin } from './harness.mjs'

const whoAmI = (url, options = {}) => ({ method: 'GET', url, handler: (request) => ({ user: request.user ?? null }), ...options })
const basic = (name, password) => ({ headers: { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` } })
const bearer = (token) => ({ headers: { authorization: `Bearer ${token}` } })

testPlugin(
  '@fastify/bearer-auth',
  { application: () => ({ plugins: [[bearerAuth, { keys: new Set(['abc123']) }]], routes: [whoAmI('/private')] }) },
  (app) => {
    it('lets a request with a known key through', async () => {
      assert.equal((await app.ask('/private', bearer('abc123'))).status, 200)
    })
    it('refuses a request without a key, or with another, before its handler runs', async () => {
      const missing = await app.ask('/private')
      assert.equal(missing.status, 401)
      assert.deepEqual(missing.body, { error: 'missing authorization header' })
      assert.equal((await app.ask('/private', bearer('other'))).status, 401)
    })
    it('does not guard the sibling context, nor an unknown path', async () => {
      assert.equal((await app.ask('/elsewhere')).status, 200)
      assert.equal((await app.ask('/unknown')).status, 404)
    })
  },
)

testPlugin(
  '@fastify/bearer-auth',
  {
    label: 'without a hook of its own',
    application: () => ({
      plugins: [[bearerAuth, { keys: new Set(['abc123']), addHook: false }]],
      routes: [
        whoAmI('/open'),
        whoAmI('/closed', {
          onRequest(request, reply, done) {
            this.verifyBearerAuth(request, reply, done)
          },
        }),
      ],
    }),
    decorates: { server: ['verifyBearerAuth', 'verifyBearerAuthFactory'] },
  },
  (app) => {
    it('guards the route that asks for it', async () => {
      assert.equal((await app.ask('/open')).status, 200)
      assert.equal((await app.ask('/closed')).status, 401)
      assert.equal((await app.ask('/closed', bearer('abc123'))).status, 200)
    })
  },
)

testPlugin(
  '@fastify/basic-auth',
  {
    application: () => ({
      plugins: [
        [
          basicAuth,
          {
            authenticate: { realm: 'alcove' },
            async validate(name, password, request) {
              if (name !== 'ada' || password !== 'secret') throw new Error('wrong name or password')
              request.user = name
            },
          },
        ],
      ],
      setup: (instance) => void instance.decorateRequest('user', null),
      routes: [
        whoAmI('/open'),
        whoAmI('/closed', {
          onRequest(request, reply, done) {
            this.basicAuth(request, reply, done)
          },
        }),
      ],
    }),
    decorates: { server: ['basicAuth'] },
  },
  (app) => {
    it('lets in who knows the password', async () => {
      const { status, body } = await app.ask('/closed', basic('ada', 'secret'))
      assert.equal(status, 200)
      assert.deepEqual(body, { user: 'ada' })
    })
    it('answers 401 with a challenge to others', async () => {
      const { status, headers } = await app.ask('/closed', basic('ada', 'wrong'))
      assert.equal(status, 401)
      assert.match((await app.ask('/closed')).headers.get('www-authenticate') ?? '', /^Basic realm="alcove"/)
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    })
    it('leaves a route without the hook open', async () => {
      assert.equal((await app.ask('/open')).status, 200)
    })
  },
)

testPlugin(
  '@fastify/auth',
  {
    application: () => ({
      plugins: [
        [auth, {}],
        [bearerAuth, { keys: new Set(['abc123']), addHook: false, verifyErrorLogLevel: 'debug' }],
        [
          basicAuth,
          {
            async validate(name, password) {
              if (password !== 'secret') throw new Error('wrong name or password')
            },
          },
        ],
      ],
      // The decorators of the plugins before it are there when the routes are declared.
      setup(instance) {
        const handler = () => ({ ok: true })
        instance.get('/either', { preHandler: instance.auth([instance.verifyBearerAuth, instance.basicAuth]), handler })
        instance.get('/both', {
          preHandler: instance.auth([(_request, _reply, done) => done(), async () => Promise.reject(new Error('never'))], {
            relation: 'and',
          }),
          handler,
        })
      },
      routes: [],
    }),
    decorates: { server: ['auth'] },
  },
  (app) => {
    it('lets a request through that one of several ways admits', async () => {
      assert.equal((await app.ask('/either', basic('ada', 'secret'))).status, 200)
      assert.equal((await app.ask('/either', bearer('abc123'))).status, 200)
    })
    it('refuses a request that none of them admits', async () => {
      assert.equal((await app.ask('/either', basic('ada', 'wrong'))).status, 401)
      assert.equal((await app.ask('/either')).status, 401)
    })
    it('refuses a request that one of several required ways refuses', async () => {
      assert.ok((await app.ask('/both')).status >= 400)
    })
  },
)

for (const [name, jwt] of [
  ['@fastify/jwt', jwt5],
  ['jwt4', jwt4],
]) {
  testPlugin(
    name,
    {
      application: () => ({
        plugins: [[jwt, { secret: 'a secret that is long enough for HMAC', sign: { expiresIn: '10m' } }]],
        routes: [
          { method: 'POST', url: '/login', handler: async (_request, reply) => ({ token: await reply.jwtSign({ name: 'ada' }) }) },
          whoAmI('/me', { onRequest: async (request) => void (await request.jwtVerify()) }),
          { method: 'GET', url: '/signed', handler: (request) => ({ token: request.server.jwt.sign({ name: 'eve' }) }) },
        ],
      }),
      decorates: { server: ['jwt'], request: ['jwtVerify', 'jwtDecode', 'user'], reply: ['jwtSign'] },
    },
    (app) => {
      it('signs a token and admits who brings it, with its claims as the user', async () => {
        const login = await app.ask('/login', { method: 'POST' })
        const { status, body } = await app.ask('/me', bearer(login.body.token))
        assert.equal(status, 200)
        assert.equal(body.user.name, 'ada')
        assert.ok(body.user.exp > body.user.iat)
      })
      it('answers 401 with its own code to a missing and to a forged token', async () => {
        const missing = await app.ask('/me')
        assert.equal(missing.status, 401)
        assert.match(missing.body.code, /^FST_JWT_NO_AUTHORIZATION_IN_HEADER$/)
        assert.match(missing.body.message, /^No Authorization was found/)
        const { token } = (await app.ask('/signed')).body
        assert.equal((await app.ask('/me', bearer(`${token}x`))).status, 401)
      })
      it('keeps the users of simultaneous requests apart', async () => {
        const tokens = { ada: (await app.ask('/login', { method: 'POST' })).body.token, eve: (await app.ask('/signed')).body.token }
        const names = ['ada', 'eve', 'ada', 'eve', 'eve', 'ada']
        const answers = await Promise.all(names.map((who) => app.ask('/me', bearer(tokens[who]))))
        assert.deepEqual(
          answers.map(({ body }) => body.user.name),
          names,
        )
      })
    },
  )
}

testPlugin(
  '@fastify/jwt',
  {
    label: 'twice in a context, under two names',
    application: () => ({
      plugins: [
        [jwt5, { secret: 'the first secret, long enough for HMAC', namespace: 'first', jwtVerify: 'firstVerify', jwtSign: 'firstSign' }],
        [jwt5, { secret: 'the second secret, long enough as well', namespace: 'second', jwtVerify: 'secondVerify', jwtSign: 'secondSign' }],
      ],
      routes: [
        { method: 'GET', url: '/token', handler: async (_request, reply) => ({ token: await reply.firstSign({ name: 'ada' }) }) },
        whoAmI('/first', { onRequest: (request) => request.firstVerify() }),
        whoAmI('/second', { onRequest: (request) => request.secondVerify() }),
      ],
    }),
    decorates: { request: ['firstVerify', 'secondVerify'] },
  },
  (app) => {
    it('takes a token only under the name it was signed for', async () => {
      const { token } = (await app.ask('/token')).body
      assert.equal((await app.ask('/first', bearer(token))).status, 200)
      assert.equal((await app.ask('/second', bearer(token))).status, 401)
    })
  },
)
