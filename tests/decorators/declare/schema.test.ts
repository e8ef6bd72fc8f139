import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  check,
  type Class,
  Controller,
  Get,
  Model,
  Plugin,
  type PluginOptions,
  Post,
  ref,
  type Reply,
  Route,
  type RouteRequest,
  Schema,
} from 'alcove'

async function ask(options: PluginOptions, ...requests: (string | object)[]): Promise<[number, unknown][]> {
  class App {}
  Plugin(options)(App)
  const server = await bootstrap(App)
  const answers: [number, unknown][] = []
  for (const request of requests) {
    const answer = await server.inject(request as string)
    answers.push([answer.statusCode, answer.json()])
  }
  await server.close()
  return answers
}
const refused = (message: string): [number, unknown] => [400, { statusCode: 400, error: 'Bad Request', message }]

@Schema({
  $id: 'User',
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, age: { type: 'integer' }, password: { type: 'string' } },
} as const)
class User {
  name!: string
  age?: number
  password?: string
}

describe('a model class with a shared schema', () => {
  const add = { body: ref(User), response: { 201: { type: 'object', properties: { user: { $ref: 'User#/properties/name' } } } } } as const

  @Controller('/users')
  class Users {
    @Post({ path: '/', status: 201 }, add)
    add({ body }: RouteRequest<typeof add>) {
      return { user: body.name, unlisted: true }
    }
  }

  test('validates where it is referred to, and gives the handler its type', async () => {
    const post = (payload: object) => ({ method: 'POST', url: '/users', payload })
    assert.deepEqual(
      await ask(
        { schemas: [User], routes: [Users] },
        post({ name: 'Ada', age: '36' }),
        post({ age: 1 }),
        post({ name: 'Ada', age: 'old' }),
      ),
      [[201, { user: 'Ada' }], refused("body should have required property 'name'"), refused('body/age should be integer')],
    )
  })

  test('is seen by the contexts below the one that lists it', async () => {
    class Child {}
    Plugin({ routes: [Users] })(Child)
    assert.deepEqual(await ask({ schemas: [User], imports: [Child] }, { method: 'POST', url: '/users', payload: {} }), [
      refused("body should have required property 'name'"),
    ])
  })

  test('that a route refers to by its name, and no visible plugin lists, fails the boot, naming the route', async () => {
    class App {}
    Plugin({ routes: [Users] })(App)
    await assert.rejects(bootstrap(App), /App > Users\.add refers to the schema 'User' by its name, which no plugin lists in schemas/)
  })

  test('cannot be referred to without a $id, and ref says what to write', () => {
    class Plain {}
    assert.throws(() => ref(Plain), {
      name: 'TypeError',
      message:
        "ref(Plain): the class has no schema with an $id. Write class Plain extends Model({ $id: 'Plain', … }), or @Schema({ $id: 'Plain', … }) above the class.",
    })
  })

  test('is referred to as a whole: one # is at the end', () => {
    assert.equal(ref(User).$ref, 'User#')
    @Schema({ $id: 'https://example.test/x#y', type: 'object' } as const)
    class Fragment {}
    assert.equal(ref(Fragment).$ref, 'https://example.test/x#y')
  })

  test('is not inherited by a subclass', () => {
    class Admin extends User {}
    assert.throws(() => ref(Admin), /ref\(Admin\)/)
  })
})

describe('@Schema on a route', () => {
  const everything = {
    params: { id: { type: 'integer' } },
    querystring: { page: { type: 'integer', default: 1 } },
    headers: { type: 'object', required: ['X-Key'], properties: { 'X-Key': { type: 'integer' } } },
    response: { 200: { type: 'object', properties: { id: { type: 'integer' }, page: { type: 'integer' }, key: { type: 'integer' } } } },
  } as const

  @Route({ method: 'GET', path: '/:id' }, everything)
  class Everything {
    handle({ params, query, headers }: RouteRequest<typeof everything>) {
      return { id: params.id, page: query.page, key: headers['x-key'], unlisted: true }
    }
  }

  test('validates and coerces params, querystring and headers, and serializes by the status', async () => {
    assert.deepEqual(
      await ask(
        { routes: [Everything] },
        { url: '/7?page=2', headers: { 'x-key': '5' } },
        { url: '/7', headers: { 'x-key': '5' } },
        { url: '/seven', headers: { 'x-key': '5' } },
        '/7',
      ),
      [
        [200, { id: 7, page: 2, key: 5 }],
        [200, { id: 7, page: 1, key: 5 }],
        refused('params/id should be integer'),
        refused("headers should have required property 'x-key'"),
      ],
    )
  })

  test('on handle is the same as on the class', async () => {
    const schema = { querystring: { type: 'object', required: ['q'] } } as const
    @Route({ method: 'GET', path: '/' })
    class OnHandle {
      @Schema(schema)
      handle() {
        return {}
      }
    }
    assert.deepEqual(await ask({ routes: [OnHandle] }, '/', '/?q=1'), [refused("querystring should have required property 'q'"), [200, {}]])
  })

  test('on a method of a controller is for that method only', async () => {
    @Controller('/')
    class Two {
      @Get('/one')
      @Schema({ querystring: { type: 'object', required: ['q'] } } as const)
      one() {
        return {}
      }
      @Get('/two')
      two() {
        return {}
      }
    }
    assert.deepEqual(await ask({ routes: [Two] }, '/one', '/two'), [refused("querystring should have required property 'q'"), [200, {}]])
  })

  test('serializes other statuses by their own schema', async () => {
    const schema = {
      response: {
        200: { type: 'object', properties: { ok: { type: 'boolean' } } },
        '4xx': { type: 'object', properties: { reason: { type: 'string' } } },
      },
    } as const
    @Route({ method: 'GET', path: '/' }, schema)
    class Refuses {
      handle(_request: RouteRequest<typeof schema>, reply: Reply<typeof schema>) {
        return reply.code(409).send({ reason: 'taken', extra: 1 } as { reason: string })
      }
    }
    assert.deepEqual(await ask({ routes: [Refuses] }, '/'), [[409, { reason: 'taken' }]])
  })

  test('is not changed by being used in several applications', async () => {
    const before = JSON.stringify(everything)
    const routes: Class[] = [Everything]
    const first = await ask({ routes }, { url: '/7', headers: { 'x-key': '5' } })
    const second = await ask({ routes }, { url: '/7', headers: { 'x-key': '5' } })
    assert.deepEqual(first, second)
    assert.equal(JSON.stringify(everything), before)
  })
})

describe('a schema of cookies', () => {
  class Visit extends Model({
    $id: 'Visit',
    type: 'object',
    required: ['session'],
    properties: { session: { type: 'string', minLength: 3 }, page: { type: 'integer', default: 1 } },
  }) {}
  const find = { cookies: ref(Visit) }
  const list = { cookies: { type: 'object', required: ['page'], properties: { page: { type: 'integer' } } } } as const

  @Controller('/visits')
  class Visits {
    @Get('', find)
    find({ cookies }: RouteRequest<typeof find>) {
      return { session: cookies.session.toUpperCase(), next: cookies.page + 1 }
    }
  }
  @Route({ method: 'GET', path: '/list' }, list)
  class ListVisits {
    handle({ cookies }: RouteRequest<typeof list>) {
      return { next: cookies.page + 1 }
    }
  }

  test('validates the cookies of a method, by a model too, and of a route class', async () => {
    const get = (url: string, cookies: Record<string, string>) => ({ url, cookies })
    assert.deepEqual(
      await ask(
        { routes: [Visits, ListVisits] },
        get('/visits', { session: 'abc', page: '7' }),
        get('/visits', { session: 'abc', other: 'x' }),
        get('/visits', { session: 'a' }),
        get('/list', { page: 'x' }),
        get('/list', { page: '2' }),
      ),
      [
        [200, { session: 'ABC', next: 8 }],
        [200, { session: 'ABC', next: 2 }],
        refused('cookies/session should NOT have fewer than 3 characters'),
        refused('cookies/page should be integer'),
        [200, { next: 3 }],
      ],
    )
  })

  test('that requires what it does not describe is a fault', () => {
    @Controller()
    class Wrong {
      @Get('/', { cookies: { type: 'object', required: ['sesion'], properties: { session: {} } } })
      find() {
        return {}
      }
    }
    class App {}
    Plugin({ routes: [Wrong] })(App)
    assert.throws(() => check(App), /sesion/)
  })
})
