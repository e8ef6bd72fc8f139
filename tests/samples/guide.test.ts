/** What the pages of docs/guide say of their samples. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bootstrap, check, type Class, HttpError, testServer } from 'alcove'
import { Db, UsersPlugin as TransactionPlugin } from '../../samples/guide/around.js'
import { BillingPlugin as BillingPart, CurrentUser as InvoiceUser, UserGuard } from '../../samples/guide/billing.js'
import { App as ContextsApp, start } from '../../samples/guide/contexts.js'
import { App as ErrorsApp } from '../../samples/guide/errors.js'
import { App as FaultyApp } from '../../samples/guide/faults.js'
import { App as HooksApp } from '../../samples/guide/hooks.js'
import { App as InheritanceApp } from '../../samples/guide/inheritance.js'
import { App as LibrariesApp } from '../../samples/guide/libraries.js'
import { App as FieldsApp } from '../../samples/guide/models.js'
import { App as ModulesApp, AuthPlugin, Users } from '../../samples/guide/modules.js'
import { App as PluginsApp, createProgrammatic, Guarded } from '../../samples/guide/plugins.js'
import { App as ProvidersApp, ended } from '../../samples/guide/providers.js'
import { App as AccountApp, CurrentUser, GreetingPlugin } from '../../samples/guide/request-decorators.js'
import { App as RoutesApp } from '../../samples/guide/routes.js'
import { App as ModelsApp } from '../../samples/models/app.js'
import { readText } from '../fixtures/project.js'

type Ask = { method?: string; url: string; headers?: Record<string, string>; payload?: string | object }

/** Sends requests to an application that listens, and returns the status and the body of each reply. */
async function ask(App: Class, ...requests: (Ask | string)[]): Promise<[status: number, body: unknown][]> {
  await using server = await bootstrap(App)
  const origin = await server.listen({ port: 0, host: '127.0.0.1' })
  const replies: [number, unknown][] = []
  for (const request of requests.map((entry) => (typeof entry === 'string' ? { url: entry } : entry))) {
    const { method = 'GET', url, headers = {}, payload } = request
    const isText = typeof payload === 'string' || payload === undefined
    const body = isText ? payload : JSON.stringify(payload)
    const type: Record<string, string> = isText ? {} : { 'content-type': 'application/json' }
    const response = await fetch(origin + url, { method, headers: { ...type, ...headers }, ...(body !== undefined && { body }) })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    replies.push([response.status, isJson ? JSON.parse(text) : text])
  }
  return replies
}

describe('contexts', () => {
  test('a plugin sees the providers of the plugin that imports it', async () => {
    const [[status, body]] = (await ask(ContextsApp, '/users')) as [[number, { at: string }]]
    assert.equal(status, 200)
    assert.ok(Date.parse(body.at) > 0)
  })

  test('the server listens at the port of the environment', async () => {
    process.env['PORT'] = '0'
    await using server = await start()
    assert.equal((await fetch(`${server.listeningOrigin}/users`)).status, 200)
  })

  test('all faults are reported at once, in the words of the page', async () => {
    const shown = readText('samples/guide/faults.txt').trim()
    assert.throws(() => check(FaultyApp), { message: shown })
    await assert.rejects(bootstrap(FaultyApp), { message: shown })
  })

  test('a module that an ancestor shares has one instance, and one of its own where a plugin is mounted alone', async () => {
    assert.deepEqual(await ask(ModulesApp, '/login', '/invoices'), [
      [200, ['user ada']],
      [200, ['user bob']],
    ])
    await using app = await testServer(ModulesApp)
    assert.ok(app.resolve(Users) instanceof Users)
    await using part = await testServer(AuthPlugin)
    assert.equal((await part.inject('/login')).body, '["user ada"]')
  })
})

describe('tests', () => {
  test('a reply that is not described fails a test, in the words of the page', async () => {
    const guard = {
      preHandler() {
        throw new HttpError(403, 'The invoice of somebody else')
      },
    }
    await using app = await testServer(BillingPart, { provide: [[InvoiceUser, 'ada']], override: [[UserGuard, guard]] })
    const message = readText('samples/guide/undescribed.txt').trim().replaceAll('\n', ' ')
    await assert.rejects(app.inject('/invoices/7'), { message })
  })
})

describe('routes', () => {
  test('a class and the methods of a controller are routes, whose parameters are those of the schema', async () => {
    assert.deepEqual(
      await ask(RoutesApp, '/people/7', '/users/8', { method: 'POST', url: '/users', payload: { a: 1 } }, '/orders/4', '/people/x'),
      [
        [200, { name: 'person 7' }],
        [200, { name: 'user 8' }],
        [201, { a: 1 }],
        [200, { next: 5 }],
        [400, { statusCode: 400, error: 'Bad Request', message: 'params/id should be integer' }],
      ],
    )
  })

  test('another status is sent by the reply, or by an HttpError', async () => {
    const [thrown, sent, replaced] = await ask(
      RoutesApp,
      '/users/101',
      { method: 'PUT', url: '/users/101' },
      { method: 'PUT', url: '/users/1' },
    )
    assert.deepEqual(thrown, [404, { message: 'No such user' }])
    assert.deepEqual(sent, [404, { message: 'No such user' }])
    assert.deepEqual(replaced, [200, { name: 'user 1' }])
  })

  test('the options of a controller hold for its routes, and the keys of config are merged', async () => {
    assert.deepEqual(await ask(RoutesApp, { url: '/users/1', headers: { 'accept-version': '2.0.0' } }), [
      [200, { team: 'accounts', slow: true }],
    ])
  })

  test('@Action takes methods of WebDAV, and those that a plugin adds', async () => {
    const report = { method: 'REPORT', url: '/files/1', payload: { depth: 1 } }
    assert.deepEqual(await ask(RoutesApp, { method: 'PROPFIND', url: '/files/1' }, report), [
      [200, { id: '1' }],
      [200, { depth: 1 }],
    ])
  })

  test('a validator of its own reports all faults of a body', async () => {
    const post = (payload: object) => ({ method: 'POST', url: '/all-faults/3', payload })
    const [good, bad] = await ask(RoutesApp, post({ amount: 5, currency: 'EUR' }), post({ amount: 'many' }))
    assert.deepEqual(good, [200, { id: 3, amount: 5, currency: 'EUR' }])
    assert.equal((bad![1] as { message: string }).message, "body should have required property 'currency', body/amount should be integer")
  })

  test('an overriding method keeps the route, the schema and the hooks of its parent class', async () => {
    const as = (user: string, url = '/orders/7') => ({ url, headers: { 'x-user': user } })
    const replies = await ask(InheritanceApp, as('7'), as('8'), '/orders/7', as('7', '/orders/x'))
    assert.deepEqual(
      replies.map(([status]) => status),
      [200, 403, 401, 400],
    )
    assert.deepEqual(replies[0]![1], { order: 7 })
  })
})

describe('models and libraries', () => {
  test('a model is validated and serialized', async () => {
    const added = { id: 2, title: 'New', text: 'A text' }
    assert.deepEqual(
      await ask(
        ModelsApp,
        '/articles/1',
        { method: 'POST', url: '/articles', payload: { title: 'New', text: 'A text' } },
        { method: 'POST', url: '/articles', payload: { title: '', text: 'A text' } },
        { method: 'PATCH', url: '/articles/1', payload: { title: 'Changed' } },
        { method: 'POST', url: '/articles/1/comments', payload: { text: 'Yes', replies: [{ text: 'No' }] } },
      ),
      [
        [200, { summary: 'Models: are written once' }],
        [201, added],
        [400, { statusCode: 400, error: 'Bad Request', message: 'body/title should NOT have fewer than 1 characters' }],
        [200, { id: 1, title: 'Changed', text: 'are written once' }],
        [201, { id: 1, title: 'Changed', text: 'are written once', comments: [{ text: 'Yes', replies: [{ text: 'No' }] }] }],
      ],
    )
  })

  test('a class may list its fields itself', async () => {
    assert.deepEqual(await ask(FieldsApp, '/user'), [[200, { since: '1970-01-01T00:00:00.000Z', nick: 'ada' }]])
  })

  test('the handler receives what Zod makes of a request, and an asynchronous refinement is awaited', async () => {
    const post = (url: string, email: string) => ({ method: 'POST', url, payload: { email } })
    const [found, taken, short] = await ask(
      LibrariesApp,
      post('/search?q=%20lamps%20', 'bob@example.com'),
      post('/search?q=lamps', 'ada@example.com'),
      post('/search?q=l', 'bob@example.com'),
    )
    assert.deepEqual(found, [200, { q: 'lamps', page: 1, email: 'bob@example.com' }])
    assert.deepEqual(taken, [400, { statusCode: 400, error: 'Bad Request', message: 'body/email is taken' }])
    assert.equal(short![0], 400)
  })
})

describe('request decorators', () => {
  test('a route reads what a hook of an ancestor has set, and is not asked if the hook refuses', async () => {
    assert.deepEqual(await ask(AccountApp, { url: '/account', headers: { authorization: 'Bearer ada-token' } }, '/account'), [
      [200, { user: 'Ada' }],
      [401, { statusCode: 401, error: 'Unauthorized', message: 'Unauthorized' }],
    ])
  })

  test('an optional decorator may be missing', async () => {
    await using alone = await testServer(GreetingPlugin)
    assert.equal((await alone.inject('/greeting')).json().hello, 'whoever you are')
    await using provided = await testServer(GreetingPlugin, { provide: [[CurrentUser, { name: 'Ada' }]] })
    assert.equal((await provided.inject('/greeting')).json().hello, 'Ada')
  })
})

describe('providers', () => {
  test('are classes, values, factories and aliases, live as long as their scope, and are ended', async () => {
    ended.length = 0
    const seen = { user: 'row 1', invoices: ['postgres://localhost: invoices'], mailer: true, tenant: 'a', closed: false }
    const request = { url: '/', headers: { 'x-tenant': 'a' } }
    // The pool of the first request is still open in the second: the factory does not own it.
    assert.deepEqual(await ask(ProvidersApp, request, request), [
      [200, seen],
      [200, seen],
    ])
    assert.deepEqual(ended, ['ready', 'listening', 'visit', 'visit', 'worker'])
  })

  test('onListen is not called in a test without a port', async () => {
    ended.length = 0
    await using app = await testServer(ProvidersApp)
    await app.inject({ url: '/', headers: { 'x-tenant': 'a' } })
    assert.deepEqual(ended, ['ready', 'visit'])
  })
})

describe('hooks', () => {
  test('a guard admits those roles that the route names', async () => {
    const as = (user: string) => ({ url: '/admin/report', headers: { 'x-user': user } })
    const replies = await ask(HooksApp, '/admin/report', as('bob'), as('ada'))
    assert.deepEqual(
      replies.map(([status]) => status),
      [401, 403, 200],
    )
  })

  test('an around hook changes the result, and another ends the transaction of a handler that fails', async () => {
    assert.deepEqual(await ask(TransactionPlugin, '/users'), [[200, { users: ['ada', 'bob'], count: 2 }]])
    await using app = await testServer(TransactionPlugin, { server: { logger: false } })
    assert.equal((await app.inject('/users/broken')).statusCode, 500)
    assert.deepEqual(app.resolve(Db).log, ['begin', 'rollback'])
  })
})

describe('errors', () => {
  test('classes answer errors and unknown paths, and parse bodies', async () => {
    const csv = (payload: string) => ({ method: 'POST', url: '/api/lists', payload, headers: { 'content-type': 'text/csv' } })
    assert.deepEqual(await ask(ErrorsApp, csv('a,b'), csv('a,b,c,d'), '/api/nowhere'), [
      [200, { columns: ['a', 'b'] }],
      [409, { message: 'Too many columns' }],
      [404, { nothingAt: '/api/nowhere' }],
    ])
  })

  test('a formatter writes the error of an invalid request', async () => {
    const [[status, body]] = (await ask(ErrorsApp, { method: 'POST', url: '/orders', payload: {} })) as [[number, { message: string }]]
    assert.deepEqual([status, body.message], [400, "The body of the order: must have required property 'age'"])
  })

  test('problem details are those of the page, and a plugin below may have the default format', async () => {
    await using server = await bootstrap(ErrorsApp)
    const origin = await server.listen({ port: 0, host: '127.0.0.1' })
    const response = await fetch(`${origin}/v2/orders`, {
      method: 'POST',
      body: '{"age":"old"}',
      headers: { 'content-type': 'application/json' },
    })
    const [head, body] = readText('samples/guide/problem.http').split('\n\n')
    assert.equal(head, `HTTP/1.1 ${response.status} ${response.statusText}\nContent-Type: ${response.headers.get('content-type')}`)
    assert.deepEqual(await response.json(), JSON.parse(body!))
    assert.match((await fetch(`${origin}/v2/nowhere`)).headers.get('content-type')!, /problem\+json/)
    assert.match((await fetch(`${origin}/v2/legacy`)).headers.get('content-type')!, /^application\/json/)
  })

  test('the options of an HttpError, and a class of errors, add members to the payload', async () => {
    const [problem, purchase] = await ask(
      ErrorsApp,
      { method: 'POST', url: '/v2/orders', payload: { age: 101 } },
      { method: 'POST', url: '/purchases', payload: { price: 50 } },
    )
    assert.deepEqual(problem, [
      403,
      {
        type: 'https://shop.example/out-of-credit',
        title: 'Out of credit',
        status: 403,
        detail: 'The price is 50',
        instance: '/v2/orders',
        balance: 30,
      },
    ])
    assert.deepEqual(purchase, [403, { statusCode: 403, error: 'Forbidden', message: 'The price is 50', balance: 30 }])
  })
})

describe('plugins', () => {
  test('plugin functions and classes are imported with options and prefixes', async () => {
    assert.deepEqual(await ask(PluginsApp, '/metrics', '/t', '/api/special'), [
      [200, 'requests 0'],
      [200, { tenant: 'a' }],
      [200, 'by hand'],
    ])
  })

  test('@fastify/bearer-auth guards a server with classes and one without', async () => {
    assert.equal((await ask(Guarded, '/nowhere'))[0]![0], 401)
    await using server = createProgrammatic()
    assert.equal((await server.inject('/')).statusCode, 401)
    assert.equal((await server.inject({ url: '/', headers: { authorization: 'Bearer abc123' } })).statusCode, 200)
  })
})
