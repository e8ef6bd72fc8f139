import assert from 'node:assert/strict'
import { it } from 'node:test'
import cookie5 from '@fastify/cookie'
import csrf from '@fastify/csrf-protection'
import session from '@fastify/session'
import cookie4 from 'cookie4'
import { testPlugin } from './harness.mjs'

const secret = 'a secret of more than thirty-two characters'

/** The Cookie header that answers the Set-Cookie headers of a response. */
const returned = ({ headers }) =>
  headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')

for (const [name, cookie] of [
  ['@fastify/cookie', cookie5],
  ['cookie4', cookie4],
]) {
  testPlugin(
    name,
    {
      application: () => ({
        plugins: [[cookie, { secret, parseOptions: { sameSite: 'lax' } }]],
        routes: [
          { method: 'GET', url: '/read', handler: (request) => ({ cookies: request.cookies }) },
          {
            method: 'GET',
            url: '/set',
            handler: (_request, reply) =>
              reply
                .setCookie('plain', 'a b', { path: '/' })
                .setCookie('signed', 'one', { path: '/', signed: true })
                .clearCookie('old', { path: '/' })
                .send({ ok: true }),
          },
          {
            method: 'GET',
            url: '/unsign',
            handler: (request) => {
              const { valid, value } = request.unsignCookie(request.cookies.signed ?? '')
              return { valid, value }
            },
          },
        ],
        elsewhere: (instance) => void instance.get('/elsewhere/cookies', (request) => ({ cookies: request.cookies ?? 'none' })),
      }),
      decorates: {
        server: ['parseCookie', 'signCookie', 'unsignCookie', 'serializeCookie'],
        request: ['cookies', 'unsignCookie'],
        reply: ['setCookie', 'clearCookie', 'unsignCookie'],
      },
    },
    (app) => {
      it('reads the cookies of a request', async () => {
        const { body } = await app.ask('/read', { headers: { cookie: 'a=1; b=two%20words' } })
        assert.deepEqual(body.cookies, { a: '1', b: 'two words' })
        assert.deepEqual((await app.ask('/read')).body.cookies, {})
      })
      it('sets several cookies in one reply, with the defaults of the plugin', async () => {
        const lines = (await app.ask('/set')).headers.getSetCookie()
        assert.equal(lines.length, 3)
        assert.equal(lines[0], 'plain=a%20b; Path=/; SameSite=Lax')
        assert.match(lines[2], /^old=; .*Expires=Thu, 01 Jan 1970/)
      })
      it('takes back a signed cookie, and not a forged one', async () => {
        const set = await app.ask('/set')
        assert.deepEqual((await app.ask('/unsign', { headers: { cookie: returned(set) } })).body, { valid: true, value: 'one' })
        assert.deepEqual((await app.ask('/unsign', { headers: { cookie: 'signed=one.forged' } })).body, { valid: false, value: null })
      })
      it('does not parse the cookies of a sibling context', async () => {
        assert.deepEqual((await app.ask('/elsewhere/cookies', { headers: { cookie: 'a=1' } })).body, { cookies: 'none' })
      })
    },
  )
}

testPlugin(
  '@fastify/session',
  {
    application: () => ({
      plugins: [
        [cookie5, {}],
        [session, { secret, cookie: { secure: false }, saveUninitialized: false }],
      ],
      routes: [
        {
          method: 'GET',
          url: '/visit',
          handler(request) {
            request.session.visits = (request.session.visits ?? 0) + 1
            return { visits: request.session.visits }
          },
        },
        { method: 'GET', url: '/look', handler: (request) => ({ visits: request.session.get('visits') ?? null }) },
        {
          method: 'POST',
          url: '/leave',
          async handler(request) {
            await request.session.destroy()
            return { left: true }
          },
        },
      ],
    }),
    decorates: { request: ['session', 'sessionStore'] },
  },
  (app) => {
    it('remembers what a client did, and keeps clients apart', async () => {
      const first = await app.ask('/visit')
      const headers = { cookie: returned(first) }
      assert.match(headers.cookie, /^sessionId=/)
      assert.deepEqual((await app.ask('/visit', { headers })).body, { visits: 2 })
      assert.deepEqual((await app.ask('/visit')).body, { visits: 1 })
    })
    it('sets no cookie for a client about whom there is nothing to remember', async () => {
      assert.deepEqual((await app.ask('/look')).headers.getSetCookie(), [])
    })
    it('forgets a client whose session was destroyed', async () => {
      const headers = { cookie: returned(await app.ask('/visit')) }
      assert.deepEqual((await app.ask('/leave', { method: 'POST', headers })).body, { left: true })
      assert.deepEqual((await app.ask('/look', { headers })).body, { visits: null })
    })
    it('makes a new session for a forged cookie', async () => {
      assert.deepEqual((await app.ask('/visit', { headers: { cookie: 'sessionId=forged.signature' } })).body, { visits: 1 })
    })
  },
)

for (const [label, plugins] of [
  [
    'with the secret in a cookie',
    [
      [cookie5, { secret }],
      [csrf, { cookieOpts: { signed: true, path: '/' } }],
    ],
  ],
  [
    'with the secret in the session',
    [
      [cookie5, {}],
      [session, { secret, cookie: { secure: false } }],
      [csrf, { sessionPlugin: '@fastify/session' }],
    ],
  ],
]) {
  testPlugin(
    '@fastify/csrf-protection',
    {
      label,
      application: () => ({
        plugins,
        routes: [
          { method: 'GET', url: '/form', handler: (_request, reply) => ({ token: reply.generateCsrf() }) },
          {
            method: 'POST',
            url: '/form',
            // On preHandler the body is there, which is one of the places where the token may be.
            preHandler(request, reply, done) {
              this.csrfProtection(request, reply, done)
            },
            handler: () => ({ accepted: true }),
          },
        ],
      }),
      decorates: { server: ['csrfProtection'], reply: ['generateCsrf'] },
    },
    (app) => {
      it('accepts a form that brings the token back, in its body or in a header', async () => {
        const form = await app.ask('/form')
        const { token } = form.body
        const headers = { cookie: returned(form) }
        assert.deepEqual((await app.post('/form', { _csrf: token }, headers)).body, { accepted: true })
        assert.deepEqual((await app.post('/form', {}, { ...headers, 'x-csrf-token': token })).body, { accepted: true })
      })
      it('refuses a form without the token, with another, or from another client', async () => {
        const form = await app.ask('/form')
        const headers = { cookie: returned(form) }
        assert.equal((await app.post('/form', {}, headers)).status, 403)
        assert.equal((await app.post('/form', { _csrf: 'forged' }, headers)).status, 403)
        assert.equal((await app.post('/form', { _csrf: form.body.token })).status, 403)
      })
    },
  )
}
