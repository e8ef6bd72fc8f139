/** The table of routes that clients of classes read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Action, Controller, Get, Plugin, Post, Route } from 'alcove'
import { routeTable } from 'alcove/contract'

@Controller('/users', { constraints: { version: '2.0.0' } })
class UsersController {
  @Get()
  list() {}
  @Get('/:id/posts/:post?')
  posts() {}
  @Post('/upload', { body: { content: { 'text/csv': { schema: { type: 'string' } } } } })
  upload() {}
  @Action(['PUT', 'PATCH'], '/:id')
  save() {}
}
@Route({ method: 'GET', path: '/files/*' })
class GetFile {
  handle() {}
}
@Plugin({ prefix: '/api', routes: [UsersController, GetFile] })
class Api {}
@Plugin({ prefix: '/admin', routes: [GetFile] })
class Admin {}
@Plugin({ imports: [Api, Admin] })
class App {}

test('each method has its path in parts, and what the server finds it by', () => {
  const headers = { 'accept-version': '2.0.0' }
  assert.deepEqual(routeTable(App), {
    'Api.GetFile': { handle: { method: 'GET', path: ['/api/files/', '*'] } },
    'Admin.GetFile': { handle: { method: 'GET', path: ['/admin/files/', '*'] } },
    UsersController: {
      list: { method: 'GET', path: ['/api/users'], headers },
      posts: { method: 'GET', path: ['/api/users/', ':id', '/posts/', ':post?'], headers },
      upload: { method: 'POST', path: ['/api/users/upload'], headers, body: 'text/csv' },
      save: { method: 'PUT', path: ['/api/users/', ':id'], headers },
    },
  })
})
