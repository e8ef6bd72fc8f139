import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap, Controller, createServer, Get, Plugin, Schema } from 'alcove'
import { openapi } from 'alcove/contract'
import { listOperations } from '../../../../samples/contract/app.js'

const info = { title: 'Shop', version: '1.0.0' }

@Controller('/users')
class UsersController {
  constructor() {
    throw new Error('constructed')
  }
  @Get('/:id')
  @Schema({ params: { id: { type: 'integer' } }, response: { 200: { description: 'It', type: 'string' } } })
  find() {
    return 'a user'
  }
}

@Plugin({ prefix: '/api', routes: [UsersController] })
class App {}

@Controller('/users')
class QuietController {
  @Get('/:id')
  @Schema({ params: { id: { type: 'integer' } }, response: { 200: { description: 'It', type: 'string' } } })
  find() {
    return 'a user'
  }
}

@Plugin({ prefix: '/api', routes: [QuietController] })
class QuietApp {}

test('the document of a class is written without constructing anything', () => {
  assert.deepEqual(Object.keys(openapi(App, { info }).paths), ['/api/users/{id}'])
})

test('a class and the server that it becomes have one document', async () => {
  const server = await bootstrap(QuietApp)
  assert.deepEqual(openapi(server, { info }), openapi(QuietApp, { info }))
  await server.close()
})

test('the sample of the documentation lists its operations', () => {
  assert.deepEqual(listOperations(), ['GET /health', 'GET /notes/{id}', 'POST /notes'])
})

test('a server without classes has a document too', async () => {
  const server = createServer()
  server.get('/users/:id', { schema: { response: { 200: { type: 'string' } } } }, () => 'a user')
  await server.ready()
  const { paths } = openapi(server, { info })
  assert.equal((paths['/users/{id}'] as any).get.operationId, 'getUsersById')
  await server.close()
})

for (const [options, problem] of [
  [undefined, "pass an object of options: { info: { title: '…', version: '1.0.0' } }"],
  [{ info, sever: [] }, "there is no option 'sever'. Did you mean 'servers'?"],
  [{ info: { title: 'Shop' } }, "write info: { title: '…', version: '1.0.0' }"],
  [{ info, version: '3.0' }, "version is '3.1' or '3.2'"],
  [{ info, basePath: 'api/' }, "basePath begins with a slash and does not end with one: '/api'"],
] as const) {
  test(`options are refused: ${problem}`, () => {
    assert.throws(() => openapi(App, options as never), { name: 'TypeError', message: `openapi: ${problem}` })
  })
}
