/** Classes of errors with a status and a schema: what clients get, what is refused at boot, and what is reported. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { createServer, describeContexts, HttpError, httpError, type HttpErrorClass, type Server, type ServerOptions } from 'alcove/lib'

class NoSuchUser extends httpError(404, { id: { type: 'integer' } }, { message: 'No such user', code: 'NO_USER' }) {}
class OutOfCredit extends httpError(
  403,
  {
    type: 'object',
    required: ['balance'],
    properties: { balance: { type: 'number' }, accounts: { type: 'array', items: { type: 'string' } } },
  },
  { type: 'https://shop.example/out-of-credit', title: 'Out of credit' },
) {}
class Gone extends httpError(410) {}

const fail = (error: () => unknown) => (): never => {
  throw error()
}

/** Listens while `run` sends requests, and returns the warnings of the log. */
async function warningsWhile(
  options: ServerOptions,
  declare: (server: Server) => unknown,
  run: (get: (path: string) => Promise<any>) => Promise<void>,
): Promise<string[]> {
  const lines: { level: number; msg: string }[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const server = createServer({ forceCloseConnections: true, logger: { level: 'warn', stream }, ...options })
  declare(server)
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  try {
    await run(async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).json())
  } finally {
    await server.close()
  }
  return lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
}

const listening = async (...given: Parameters<typeof warningsWhile>): Promise<void> => void (await warningsWhile(...given))

describe('an error whose class the route lists', () => {
  const declare = (server: Server): void => {
    const throws = [NoSuchUser, OutOfCredit, Gone]
    server.get(
      '/user',
      { throws },
      fail(() => new NoSuchUser({ id: 7 })),
    )
    server.get(
      '/anonymous',
      { throws },
      fail(() => new NoSuchUser(undefined, 'Nobody')),
    )
    server.get(
      '/order',
      { throws },
      fail(() => new OutOfCredit({ balance: 30, accounts: ['1'] }, 'The price is 50')),
    )
    server.get(
      '/gone',
      { throws },
      fail(() => new Gone()),
    )
  }

  test('is answered with its status, its message and its members', async () => {
    const warnings = await warningsWhile({}, declare, async (get) => {
      assert.deepEqual(await get('/user'), { statusCode: 404, code: 'NO_USER', error: 'Not Found', message: 'No such user', id: 7 })
      assert.deepEqual(await get('/anonymous'), { statusCode: 404, code: 'NO_USER', error: 'Not Found', message: 'Nobody' })
      const shown = { statusCode: 403, error: 'Forbidden', message: 'The price is 50', balance: 30, accounts: ['1'] }
      assert.deepEqual(await get('/order'), shown)
      assert.deepEqual(await get('/gone'), { statusCode: 410, error: 'Gone', message: 'Gone' })
    })
    assert.deepEqual(warnings, [])
  })

  test('has the same members in problem details', () =>
    listening({ errorFormat: 'problem' }, declare, async (get) => {
      const [type, title] = ['https://shop.example/out-of-credit', 'Out of credit']
      const shown = { type, title, status: 403, detail: 'The price is 50', instance: '/order', balance: 30, accounts: ['1'] }
      assert.deepEqual(await get('/order'), shown)
    }))

  test('is serialized by its schema: other members are left out, values are converted, and a missing one is a 500', () =>
    listening(
      {},
      (server) => {
        const throws = [OutOfCredit]
        const loose = OutOfCredit as unknown as new (members: object) => Error
        server.get(
          '/more',
          { throws },
          fail(() => new loose({ balance: '30', secret: 1 })),
        )
        server.get(
          '/less',
          { throws },
          fail(() => new loose({})),
        )
      },
      async (get) => {
        assert.deepEqual(await get('/more'), { statusCode: 403, error: 'Forbidden', message: 'Forbidden', balance: 30 })
        assert.equal((await get('/less')).code, 'ALC_ERR_FAILED_ERROR_SERIALIZATION')
      },
    ))

  test('has the schema of its class, not that of another class or of the response with the same status', () =>
    listening(
      {},
      (server) => {
        class NoSuchRoom extends httpError(404, { room: { type: 'string' } }) {}
        class NoSuchAttic extends NoSuchRoom {}
        const options = {
          throws: [NoSuchRoom, NoSuchUser],
          schema: { response: { 404: { type: 'object', properties: { message: { type: 'string' } } } } },
        }
        server.get(
          '/room',
          options,
          fail(() => new NoSuchRoom({ room: 'A' })),
        )
        server.get(
          '/attic',
          options,
          fail(() => new NoSuchAttic({ room: 'B' })),
        )
        server.get(
          '/user',
          options,
          fail(() => new NoSuchUser({ id: 7 })),
        )
        server.get(
          '/other',
          options,
          fail(() => new HttpError(404, 'No', { extensions: { room: 'C' } })),
        )
      },
      async (get) => {
        assert.equal((await get('/room')).room, 'A')
        assert.equal((await get('/attic')).room, 'B')
        assert.equal((await get('/user')).id, 7)
        assert.deepEqual(await get('/other'), { message: 'No' })
      },
    ))

  test('may refer to shared schemas, have a schema of Zod, and be a class written by hand', () =>
    listening(
      {},
      (server) => {
        class WithRef extends httpError(409, { type: 'object', properties: { owner: { $ref: 'User#' } } }) {}
        class OfZod extends httpError(409, z.object({ until: z.number() })) {}
        class ByHand extends HttpError {
          static readonly status = 409
          static readonly schema = { at: { type: 'string' } }
          constructor(at: string, status = 409) {
            super(status, undefined, { extensions: { at, secret: 1 } })
          }
        }
        const throws = [WithRef, OfZod, ByHand]
        server.addSchema({ $id: 'User', type: 'object', properties: { name: { type: 'string' } } })
        server.get(
          '/ref',
          { throws },
          fail(() => new WithRef({ owner: { name: 'Ada', password: 'x' } })),
        )
        server.get(
          '/zod',
          { throws },
          fail(() => new OfZod({ until: 12 })),
        )
        server.get(
          '/hand',
          { throws },
          fail(() => new ByHand('noon')),
        )
        server.get(
          '/status',
          { throws },
          fail(() => new ByHand('noon', 410)),
        )
      },
      async (get) => {
        assert.deepEqual((await get('/ref')).owner, { name: 'Ada' })
        assert.equal((await get('/zod')).until, 12)
        assert.deepEqual(await get('/hand'), { statusCode: 409, error: 'Conflict', message: 'Conflict', at: 'noon' })
        assert.equal((await get('/status')).secret, 1)
      },
    ))

  test('hides its members from 500 on, unless it is exposed', () => {
    class Down extends httpError(503, { type: 'object', required: ['node'], properties: { node: { type: 'string' } } }) {}
    return listening(
      {},
      (server) => {
        server.addErrorClass(Down)
        server.get(
          '/hidden',
          fail(() => new Down({ node: 'db-7' }, 'db-7 is down')),
        )
        server.get(
          '/exposed',
          fail(() => new Down({ node: 'db-7' }, 'db-7 is down', { expose: true })),
        )
      },
      async (get) => {
        assert.deepEqual(await get('/hidden'), { statusCode: 503, error: 'Service Unavailable', message: 'Service Unavailable' })
        assert.equal((await get('/exposed')).node, 'db-7')
      },
    )
  })
})

describe('addErrorClass', () => {
  test('lists a class for the routes of its context and below, and for those without a route there', async () => {
    const warnings = await warningsWhile(
      {},
      (server) => {
        server.register(async (api) => {
          api.get(
            '/early',
            fail(() => new NoSuchUser({ id: 1 })),
          )
          api.register(
            async (below) =>
              void below.get(
                '/below',
                fail(() => new NoSuchUser({ id: 2 })),
              ),
          )
          api.addErrorClass(NoSuchUser)
        })
        server.register(
          async (other) =>
            void other.get(
              '/other',
              fail(() => new NoSuchUser({ id: 3 })),
            ),
        )
      },
      async (get) => {
        for (const path of ['/early', '/below', '/other', '/other']) await get(path)
      },
    )
    assert.deepEqual(warnings, [
      'GET /other answered with the error NoSuchUser (404), which it does not list. ' +
        'Write throws: [NoSuchUser] in the options of the route, of its controller or of a plugin above it.',
    ])
  })

  test('lists what hooks throw for unknown paths', () => {
    class Unknown extends httpError(401, { type: 'object', properties: { realm: { type: 'string' } } }) {}
    return listening(
      {},
      (server) => {
        server
          .addErrorClass(Unknown)
          .addHook('onRequest', async () => fail(() => new Unknown({ realm: 'a', secret: 1 } as { realm: string }))())
      },
      async (get) => assert.deepEqual(await get('/none'), { statusCode: 401, error: 'Unauthorized', message: 'Unauthorized', realm: 'a' }),
    )
  })
})

test('an error that an error handler answers itself is not reported', async () => {
  const warnings = await warningsWhile(
    {},
    (server) => {
      const errorHandler = (_error: unknown, _request: unknown, reply: any): void => reply.code(404).send({ own: true })
      server.get(
        '/',
        { errorHandler },
        fail(() => new NoSuchUser({ id: 1 })),
      )
      server.get(
        '/plain',
        fail(() => new HttpError(404)),
      )
    },
    async (get) => {
      assert.deepEqual(await get('/'), { own: true })
      await get('/plain')
    },
  )
  assert.deepEqual(warnings, [])
})

test('the description of a route has the payload of each class, in the format of its errors', async () => {
  const server = createServer()
  server.register(async (api) => {
    api.addErrorClass(OutOfCredit).setErrorFormat('problem')
    api.get('/order', { throws: [NoSuchUser] }, () => 'never')
  })
  await server.ready()
  const [route] = describeContexts(server).children[0]!.routes
  const type = 'application/problem+json'
  const schema = route!.responses['403']!.content[type] as any
  assert.deepEqual(Object.keys(route!.responses['403']!.content), [type])
  assert.deepEqual(schema.required, ['type', 'title', 'status', 'balance'])
  assert.deepEqual(schema.properties.balance, { type: 'number' })
  assert.equal(schema.$id, 'OutOfCredit')
  assert.match(route!.responses['403']!.from[0]!, /^root > /)
  assert.ok(JSON.stringify(route!.responses['404']!.content[type]).includes('"id":{"type":"integer"}'))
  assert.ok(route!.responses['404']!.from.includes('route'))
  await server.close()
})

test('the default messages of the classes of a status describe it, unless the route does', async () => {
  class NoSuchOrder extends httpError(404, {}, { message: 'No such order' }) {}
  const server = createServer()
  server.addErrorClass(NoSuchOrder)
  const own = { response: { 404: { description: 'Not here', type: 'object' } } }
  server.get('/both', { throws: [NoSuchUser, Gone] }, () => 'never')
  server.get('/own', { schema: own }, () => 'never')
  await server.ready()
  const described = describeContexts(server).routes.filter(({ isAutomatic }) => !isAutomatic)
  assert.deepEqual(
    described.map(({ responses }) => [responses['404']!.description, responses['410']?.description]),
    [
      ['No such order; No such user', undefined],
      ['Not here', undefined],
    ],
  )
  await server.close()
})

describe('wrong classes are refused when they are listed', () => {
  class WithoutStatus extends HttpError {}
  class Plain extends Error {
    static readonly status = 404
  }
  const cases: [title: string, given: unknown, message: RegExp][] = [
    ['no class', 404, /lists 404 in throws\. It is not a class that extends HttpError\. Write class NoSuchUser extends httpError\(404, /],
    ['an instance', new NoSuchUser({ id: 1 }), /lists an object in throws\. It is not a class/],
    ['a class of other errors', Plain, /lists Plain in throws\. It is not a class that extends HttpError/],
    ['a class without a status', WithoutStatus, /lists WithoutStatus in throws\. It has no static status from 400 to 599/],
    [
      'a schema that is not of an object',
      class List extends httpError(400, { type: 'array' }) {},
      /lists List in throws\. Its schema is not/,
    ],
    [
      'a taken name',
      class Taken extends httpError(400, { detail: { type: 'string' } }) {},
      /lists Taken in throws\. Its schema has the member 'detail', which the payload has already/,
    ],
    [
      'a schema without JSON Schema',
      class Odd extends httpError(400, z.object({ at: z.date() })) {},
      /lists Odd in throws\. Its schema cannot be read: Date/,
    ],
  ]
  for (const [title, given, message] of cases) {
    test(title, () => {
      const throws = [given as HttpErrorClass]
      assert.throws(() => createServer().get('/users', { throws }, () => 1), {
        code: 'ALC_ERR_THROWS_INVALID',
        message: new RegExp(`^GET /users ${message.source}`),
      })
      assert.throws(() => createServer({ name: 'App' }).addErrorClass(throws[0]!), {
        code: 'ALC_ERR_THROWS_INVALID',
        message: new RegExp(`^App ${message.source}`),
      })
    })
  }

  test('a list that is none', () => {
    assert.throws(() => createServer().get('/', { throws: NoSuchUser as unknown as [] }, () => 1), {
      message: /Write a list: throws: \[NoSuchUser\]/,
    })
  })

  test('a status that is none, at once', () => {
    assert.throws(() => httpError(200), { code: 'ALC_ERR_BAD_STATUS_CODE' })
  })

  test('a reference that leads nowhere, at ready', async () => {
    const server = createServer()
    server.get(
      '/',
      { throws: [class Lost extends httpError(400, { type: 'object', properties: { a: { $ref: 'Nowhere#' } } }) {}] },
      () => 1,
    )
    await assert.rejects(async () => server.ready(), { code: 'ALC_ERR_SCH_SERIALIZATION_BUILD', message: /GET: \/.*Nowhere/ })
  })
})

test('the instances have the name of their class, its status and its members', () => {
  const error = new NoSuchUser({ id: 7 })
  assert.deepEqual([error.name, error.statusCode, error.extensions.id, error.message], ['NoSuchUser', 404, 7, 'No such user'])
  assert.ok(error instanceof HttpError)
})
