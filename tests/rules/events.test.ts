/** Events: the hooks of a context, and their order. */
import assert from 'node:assert/strict'
import { rule, ruleOfServer } from './rule.js'

const order = ['onRequest', 'preParsing', 'preValidation', 'preHandler', 'preSerialization', 'onSend', 'onResponse'] as const

rule('Events 1', 'a route runs the hooks of its ancestors, outermost first, then its own', async (build) => {
  const ran: string[] = []
  const note = (name: string) => async () => void ran.push(name)
  const server = await build({
    name: 'root',
    hooks: { preHandler: [note('root 1'), note('root 2')] },
    imports: [
      {
        name: 'child',
        hooks: { preHandler: note('child') },
        imports: [
          {
            name: 'grandchild',
            hooks: { preHandler: note('grandchild') },
            routes: [{ method: 'GET', path: '/', preHandler: [note('route 1') as never, note('route 2') as never], handler: () => ({}) }],
          },
        ],
      },
      { name: 'sibling', hooks: { preHandler: note('sibling') } },
    ],
  })
  await server.inject('/')
  assert.deepEqual(ran, ['root 1', 'root 2', 'child', 'grandchild', 'route 1', 'route 2'])
})
for (const name of order) {
  rule('Events 1', `${name} hooks of a context run only for its descendants`, async (build) => {
    const ran: string[] = []
    const handler = () => ({ a: 1 })
    const server = await build({
      name: 'root',
      routes: [{ method: 'GET', path: '/root', handler }],
      imports: [
        {
          name: 'child',
          hooks: { [name]: async (request: any) => void ran.push(request.url) },
          routes: [{ method: 'GET', path: '/child', handler }],
          imports: [{ name: 'grandchild', routes: [{ method: 'GET', path: '/grandchild', handler }] }],
        },
        { name: 'sibling', routes: [{ method: 'GET', path: '/sibling', handler }] },
      ],
    })
    for (const path of ['/root', '/child', '/grandchild', '/sibling']) await server.inject(path)
    assert.deepEqual(ran, ['/child', '/grandchild'])
  })
}
rule('Events 2', 'preHandler runs after validation and sees the coerced values; a failed validation ends before it', async (build) => {
  const seen: unknown[] = []
  const server = await build({
    name: 'root',
    hooks: {
      preValidation: async ({ query }: any) => void seen.push(typeof query.n),
      preHandler: async ({ query }: any) => void seen.push(typeof query.n),
    },
    routes: [{ method: 'GET', path: '/', schema: { querystring: { n: { type: 'integer' } } }, handler: () => ({}) }],
  })
  assert.equal((await server.inject('/?n=1')).statusCode, 200)
  assert.deepEqual(seen, ['string', 'number'])
  assert.equal((await server.inject('/?n=x')).statusCode, 400)
  assert.deepEqual(seen, ['string', 'number', 'string'])
})
rule('Events 2', 'asynchronous work in preHandler is awaited, by promise and by callback', async (build) => {
  const server = await build({
    name: 'root',
    decorateRequest: { user: null, group: null },
    hooks: {
      preHandler: [
        async (request: any) => {
          await new Promise((resolve) => setTimeout(resolve, 2))
          request.user = 'ada'
        },
        (request: any, _reply: any, done: () => void) => {
          setTimeout(() => {
            request.group = 'math'
            done()
          }, 2)
        },
      ],
    },
    routes: [{ method: 'GET', path: '/', handler: (request: any) => [request.user, request.group] }],
  })
  assert.deepEqual((await server.inject('/')).json(), ['ada', 'math'])
})
rule('Events 2', 'a preHandler may reply or fail, and the handler does not run', async (build) => {
  let isReached = false
  const handler = () => ((isReached = true), {})
  const server = await build({
    name: 'root',
    routes: [
      { method: 'GET', path: '/replies', preHandler: (async (_request: any, reply: any) => reply.code(403).send('no')) as never, handler },
      {
        method: 'GET',
        path: '/fails',
        preHandler: (async () => Promise.reject(Object.assign(new Error('no'), { statusCode: 403 }))) as never,
        handler,
      },
      {
        method: 'GET',
        path: '/done',
        preHandler: ((_request: any, _reply: any, done: any) => done(Object.assign(new Error('no'), { statusCode: 403 }))) as never,
        handler,
      },
    ],
  })
  for (const path of ['/replies', '/fails', '/done']) assert.equal((await server.inject(path)).statusCode, 403)
  assert.equal(isReached, false)
})
ruleOfServer('Events 3', 'serving a request opens no connection and sends no event of its own', async (create) => {
  const { default: net } = await import('node:net')
  const server = create()
  server.get('/', () => ({}))
  const connect = net.Socket.prototype.connect
  const opened: unknown[] = []
  net.Socket.prototype.connect = function (this: never, ...args: never[]) {
    opened.push(args)
    return (connect as any).apply(this, args)
  } as never
  try {
    await server.inject('/')
    await server.close()
  } finally {
    net.Socket.prototype.connect = connect
  }
  assert.deepEqual(opened, [])
})
rule('Events 4', 'the hooks of a request run in order around the handler', async (build) => {
  const ran: string[] = []
  const server = await build({
    name: 'root',
    hooks: Object.fromEntries(order.map((name) => [name, async () => void ran.push(name)])),
    routes: [{ method: 'POST', path: '/', handler: () => (ran.push('handler'), { a: 1 }) }],
  })
  await server.inject({ method: 'POST', url: '/', payload: {} })
  assert.deepEqual(ran, ['onRequest', 'preParsing', 'preValidation', 'preHandler', 'handler', 'preSerialization', 'onSend', 'onResponse'])
})
rule('Events 4', 'an error goes through onError, then the error handler, then onSend', async (build) => {
  const ran: string[] = []
  const server = await build({
    name: 'root',
    hooks: {
      onError: async () => void ran.push('onError'),
      onSend: async () => void ran.push('onSend'),
      preSerialization: async () => void ran.push('preSerialization'),
    },
    errorHandler: (_error, _request, reply) => (ran.push('errorHandler'), reply.code(418).send('text')),
    routes: [
      {
        method: 'GET',
        path: '/',
        handler: () => {
          throw new Error('x')
        },
      },
    ],
  })
  await server.inject('/')
  assert.deepEqual(ran, ['onError', 'errorHandler', 'onSend'])
})
ruleOfServer('Events 4', 'the hooks of the application run at their time', async (create) => {
  const ran: string[] = []
  const server = create()
  server.addHook('onRegister', () => void ran.push('onRegister'))
  server.addHook('onRoute', () => void ran.push('onRoute'))
  server.addHook('onReady', async () => void ran.push('onReady'))
  server.addHook('onListen', async () => void ran.push('onListen'))
  server.addHook('preClose', async () => void ran.push('preClose'))
  server.addHook('onClose', async () => void ran.push('onClose'))
  server.register(async (child: any) => void child.get('/', { exposeHeadRoute: false }, () => ({})))
  await server.listen({ port: 0, host: '127.0.0.1' })
  await server.close()
  assert.deepEqual(ran, ['onRegister', 'onRoute', 'onReady', 'onListen', 'preClose', 'onClose'])
})
