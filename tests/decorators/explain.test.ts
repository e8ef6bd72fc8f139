import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap, Controller, createServer, explain, Get, Plugin, Post, requestDecorator, Route, type Server } from 'alcove'

@Route({ method: ['GET', 'POST'], path: '/both' })
class Both {
  handle() {}
}
@Controller('/users')
class Users {
  @Get('/:id')
  one() {}
  @Post()
  add() {}
}
@Plugin({ prefix: '/deep', routes: [Both] })
class Deep {}
@Plugin({
  name: 'Renamed',
  prefix: '/api',
  decorateRequest: [requestDecorator('a', 1), requestDecorator('b', 2)],
  imports: [Deep],
  routes: [Users],
})
class Child {}
@Plugin({ imports: [Child] })
class App {}

test('a server is explained as the tree of its contexts, each with its prefix, its request decorators and its routes', async () => {
  const server = await bootstrap(App)
  assert.equal(
    String(explain(server)),
    [
      'App',
      '└── Renamed  (prefix /api; request.a, request.b)',
      '    ├── GET /api/users/:id',
      '    ├── POST /api/users',
      '    └── Deep  (prefix /api/deep)',
      '        └── GET, POST /api/deep/both',
    ].join('\n'),
  )
  await server.close()
})

test('the explanation holds the same as data, with the HEAD routes that stand beside GET', async () => {
  const server = await bootstrap(App)
  const { root } = explain(server)
  assert.equal(root.children[0]!.path, 'App > Renamed')
  assert.deepEqual(root.children[0]!.requestDecorators, ['a', 'b'])
  assert.ok(root.children[0]!.routes.some(({ method, isAutomatic }) => String(method) === 'HEAD' && isAutomatic))
  await server.close()
})

test('a programmatic server can be explained too', async () => {
  const server = createServer({ name: 'Plain' })
  server.register(async function child(instance: Server) {
    instance.get('/', () => '')
  })
  await server.ready()
  assert.equal(String(explain(server)), 'Plain\n└── child\n    └── GET /')
  await server.close()
})
