/** A class that a schema refers to with `ref` is known where it is referred to, without a list. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  arrayOf,
  bootstrap,
  check,
  type Class,
  Controller,
  Get,
  Hook,
  httpError,
  Model,
  type PluginOptions,
  Post,
  ref,
  type RouteRequest,
  shared,
  testServer,
  use,
} from 'alcove'
import { openapi } from 'alcove/contract'
import type { InjectOptions, Server } from 'alcove/lib'
import { messagesOf, plugin } from '../../fixtures/applications.js'

const text = { type: 'string' } as const
class Address extends Model({ $id: 'Address', type: 'object', properties: { city: text } } as const) {}
class FullUser extends Model({
  $id: 'User',
  type: 'object',
  required: ['name'],
  properties: { name: text, password: text, home: ref(Address) },
} as const) {}
class PublicUser extends Model({ $id: 'User', type: 'object', properties: { name: text } } as const) {}
class Comment extends Model({
  $id: 'Comment',
  type: 'object',
  properties: { text, replies: { type: 'array', items: ref((): Class<Comment> => Comment) } },
} as const) {}

const ada = { name: 'Ada', password: 'hash', home: { city: 'London', secret: 'x' } }

@Controller('/full')
class FullUsers {
  @Get('', { response: { 200: arrayOf(FullUser) } })
  list() {
    return [ada]
  }
}
@Controller('/public')
class PublicUsers {
  @Get('', { response: { 200: arrayOf(PublicUser) } })
  list() {
    return [ada]
  }
}
const comment = { body: ref(Comment), response: { 200: ref(Comment) } } as const
@Controller('/comments')
class Comments {
  @Post('', comment)
  add({ body }: RouteRequest<typeof comment>) {
    return body
  }
}

async function answers(options: PluginOptions, ...requests: (string | InjectOptions)[]): Promise<unknown[]> {
  await using server = await bootstrap(plugin('App', options))
  const replies = []
  for (const request of requests) replies.push((await server.inject(request)).json() as unknown)
  return replies
}

describe('a class that a route refers to', () => {
  test('is known with the classes that it refers to, and need not be listed', async () => {
    assert.deepEqual(await answers({ routes: [FullUsers] }, '/full'), [[{ ...ada, home: { city: 'London' } }]])
  })

  test('may refer to itself', async () => {
    const payload = { text: 'a', replies: [{ text: 'b', replies: [{ text: 'c', more: 1 }] }] }
    assert.deepEqual(await answers({ routes: [Comments] }, { method: 'POST', url: '/comments', payload }), [
      { text: 'a', replies: [{ text: 'b', replies: [{ text: 'c' }] }] },
    ])
  })

  test('may be referred to by several contexts and shared plugins, and be listed above or below', async () => {
    const below = plugin('Below', { prefix: '/below', schemas: [Address], routes: [FullUsers] })
    const beside = plugin('Beside', { prefix: '/beside', routes: [FullUsers] })
    const sharing = plugin('Sharing', { shared: true, routes: [FullUsers] })
    const expected = [{ ...ada, home: { city: 'London' } }]
    const urls = ['/full', '/below/full', '/beside/full']
    assert.deepEqual(await answers({ imports: [below, beside, sharing] }, ...urls), [expected, expected, expected])
    assert.deepEqual(await answers({ schemas: [FullUser, Address], imports: [beside, sharing] }, urls[0]!, urls[2]!), [expected, expected])
  })

  test('is one component of the document, however many contexts refer to it', () => {
    const contexts = ['a', 'b'].map((name) => plugin(name, { prefix: `/${name}`, routes: [FullUsers] }))
    const { components } = openapi(plugin('App', { imports: contexts }), { info: { title: 'Test', version: '1' } })
    assert.deepEqual(Object.keys(components?.schemas ?? {}).sort(), ['Address', 'AlcoveError', 'User'])
  })

  test('is known to a copy of the reference with other keywords', async () => {
    @Controller('/copied')
    class Copied {
      @Get('', { response: { 200: { ...ref(FullUser), description: 'The user' } } })
      find() {
        return ada
      }
    }
    assert.deepEqual(await answers({ routes: [Copied] }, '/copied'), [{ ...ada, home: { city: 'London' } }])

    const later: { Model?: Class } = {}
    const copy = { ...ref(() => later.Model!), description: 'a copy that was made too early' }
    @Controller('/early')
    class Early {
      @Get('', { response: { 200: copy } })
      find() {
        return {}
      }
    }
    later.Model = Address
    assert.match(
      messagesOf(plugin('App', { routes: [Early] })).join(),
      /by a copy that was made before its class was declared\. Write \{ allOf/,
    )
  })

  test('is known in a test of a part', async () => {
    const part = plugin('Part', { routes: [FullUsers] })
    await using app = await testServer(part)
    assert.deepEqual(await app.call(FullUsers, 'list').expect(200), [{ ...ada, home: { city: 'London' } }])
  })
})

test('errors, guards, handlers and imports may refer to classes too', async () => {
  class Taken extends httpError(409, { type: 'object', properties: { by: ref(Address) } } as const) {}
  class Guard {
    static readonly responses = { 401: ref(PublicUser) }
    onRequest() {}
  }
  class Errors {
    static readonly responses = { 500: ref(Comment) }
    errorHandler(error: Error) {
      throw error
    }
  }
  @Controller()
  class Home {
    @Get({ path: '/', throws: [Taken] })
    @Hook('onRequest', Guard)
    home() {
      throw new Taken({ by: { city: 'London' } })
    }
  }
  class Other extends Model({ $id: 'Other', type: 'object', properties: { other: text } } as const) {}
  const imported = shared(use(async () => {}, {}, { responses: { 403: ref(Other) } }))
  const options = { routes: [Home], imports: [imported] }
  assert.deepEqual(await answers(options, '/'), [{ statusCode: 409, error: 'Conflict', message: 'Conflict', by: { city: 'London' } }])
  const { components } = openapi(plugin('App', { ...options, errorHandler: Errors }), { info: { title: 'Test', version: '1' } })
  const names = Object.keys(components?.schemas ?? {})
  assert.deepEqual(
    ['Address', 'Comment', 'Other', 'User'].filter((name) => !names.includes(name)),
    [],
  )
})

describe('two classes with one $id', () => {
  test('each answer for themselves in contexts beside each other: no reply is written by the schema of the other class', async () => {
    const contexts = [plugin('Full', { routes: [FullUsers] }), plugin('Public', { routes: [PublicUsers] })]
    assert.deepEqual(await answers({ imports: contexts }, '/full', '/public'), [[{ ...ada, home: { city: 'London' } }], [{ name: 'Ada' }]])
  })

  test('are a fault in sight of each other, whether they are listed or referred to', () => {
    const one = "its $id 'User' is that of FullUser, which App"
    const referring = plugin('Public', { routes: [PublicUsers] })
    assert.deepEqual(messagesOf(plugin('App', { schemas: [FullUser], imports: [referring] })), [
      `App > Public refers to PublicUser, but ${one} lists. Give one of them another $id.`,
    ])
    assert.deepEqual(messagesOf(plugin('App', { routes: [FullUsers], imports: [referring] })), [
      `App > Public refers to PublicUser, but ${one} refers to. Give one of them another $id.`,
    ])
    assert.deepEqual(messagesOf(plugin('App', { routes: [FullUsers, PublicUsers] })), [
      `App refers to PublicUser, but ${one} refers to. Give one of them another $id.`,
    ])
    assert.deepEqual(messagesOf(plugin('App', { routes: [FullUsers], imports: [plugin('Listing', { schemas: [PublicUser] })] })), [
      `App > Listing lists PublicUser, but ${one} refers to. Give one of them another $id.`,
    ])
  })
})

test('a route that setup adds refers to a class that its context knows', async () => {
  class Adding {
    setup(server: Server) {
      server.get('/setup', { schema: { response: { 200: ref(PublicUser) } } }, () => ada)
    }
  }
  await using server = await bootstrap(plugin('App', { schemas: [PublicUser] }, Adding))
  assert.deepEqual((await server.inject('/setup')).json(), { name: 'Ada' })
})

test('a reference by its name keeps the rule of the contexts', () => {
  @Controller('/named')
  class Named {
    @Get('', { response: { 200: { $ref: 'Address#' } } })
    find() {
      return {}
    }
  }
  const listing = plugin('Listing', { schemas: [Address] })
  const unlisted = plugin('App', { routes: [Named], imports: [plugin('Full', { routes: [FullUsers] })] })
  assert.deepEqual(messagesOf(unlisted), [
    "App > Named.find refers to the schema 'Address' by its name, which no plugin lists in schemas. Write ref(Address), or schemas: [Address] in App or in an ancestor.",
  ])
  assert.match(messagesOf(plugin('App', { routes: [Named], imports: [listing] })).join(), /'Address', which is not visible there/)
  check(plugin('App', { schemas: [Address], routes: [Named] }))
})

describe('a schema that a reference to a class would find instead of the class', () => {
  const refersToPublic = (path: string, schema: object): Class => {
    @Controller(path)
    class Routes {
      @Get('', { response: { 200: schema } })
      one(): unknown {
        return { ...ada, user: ada }
      }
    }
    return Routes
  }
  const nested = { x: { $id: 'User', type: 'object', properties: { name: text, password: text } } } as const

  test('an $id with # is the same $id', () => {
    class Hashed extends Model({ $id: 'User#', type: 'object', properties: { name: text } } as const) {}
    assert.deepEqual(messagesOf(plugin('App', { routes: [FullUsers, refersToPublic('/hashed', ref(Hashed))] })), [
      "App refers to Hashed, but its $id 'User#' is that of FullUser, which App refers to. Give one of them another $id.",
    ])
  })

  test('a schema within the schema of a class', () => {
    class Order extends Model({ $id: 'Order', type: 'object', definitions: nested, properties: { user: ref(PublicUser) } } as const) {}
    assert.deepEqual(messagesOf(plugin('App', { routes: [refersToPublic('/order', ref(Order))] })), [
      "App refers to a schema within Order, but its $id 'User' is that of PublicUser, which App refers to. Give one of them another $id.",
    ])
  })

  test('a schema that is written in the route; the schema of the class itself may be', () => {
    const written = { type: 'object', definitions: nested, properties: { user: ref(PublicUser) } }
    assert.deepEqual(messagesOf(plugin('App', { routes: [refersToPublic('/written', written)] })), [
      "App > Routes.one refers to PublicUser, but its $id 'User' is also that of a schema that is written in the route. Give one of them another $id.",
    ])
  })

  test('a class that code refers to, in a context that has another schema with its $id', async () => {
    const route = { schema: { response: { 200: ref(PublicUser) } } }
    class SettingUp {
      setup(instance: { get(url: string, options: object, handler: () => unknown): unknown }) {
        instance.get('/set-up', route, () => ada)
      }
    }
    await assert.rejects(bootstrap(plugin('App', { routes: [FullUsers] }, SettingUp)), {
      message: /- GET \/set-up refers to PublicUser, but its \$id 'User' is that of another schema, which its context lists\./,
    })
    await using server = await bootstrap(plugin('App', { routes: [PublicUsers] }, SettingUp))
    assert.equal((await server.inject('/set-up')).body, '{"name":"Ada"}')
  })
})

test('a parameter that a model requires and the path does not have is a fault', () => {
  class Ids extends Model({ $id: 'Ids', type: 'object', required: ['tenant', 'id'], properties: { tenant: text, id: text } } as const) {}
  const schemas = [ref(Ids), { allOf: [ref((): Class<Ids> => Ids)] }]
  for (const params of schemas) {
    @Controller('/users')
    class Users {
      @Get('/:id', { params })
      find() {
        return 'found'
      }
    }
    const [message] = messagesOf(plugin('App', { routes: [Users] }))
    assert.match(message!, /^App > Users\.find requires 'tenant' in the schema of params, but its path \/users\/:id has no such parameter/)
  }
})

test('an $id with characters that a URL does not have is named in the error of a reference to it', async () => {
  class Page extends Model({ $id: 'Page<User>', type: 'object', properties: { text } } as const) {}
  @Controller('/pages')
  class Pages {
    @Post('', { body: ref(Page) })
    add() {
      return 'added'
    }
  }
  await assert.rejects(bootstrap(plugin('App', { routes: [Pages] })), {
    message: /The \$id 'Page<User>' has characters that a URL does not have, so no reference leads there: write letters/,
  })
})
