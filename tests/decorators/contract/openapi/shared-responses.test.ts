import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Class, Controller, Get, httpError, Plugin } from 'alcove'
import { openapi } from 'alcove/contract'

class NoSuchUser extends httpError(404, { id: { type: 'integer' } }, { message: 'There is no such user' }) {}

@Controller('/users', { throws: [NoSuchUser] })
class UsersController {
  @Get('/:id')
  find() {}
  @Get('/:id/posts')
  posts() {}
}
@Controller('/tags')
class TagsController {
  @Get('/:id')
  find() {}
}

function documentOf(...routes: Class<{ find(): void }>[]): any {
  class App {}
  Plugin({ routes })(App)
  return openapi(App, { info: { title: 'Shop', version: '1.0.0' } })
}

test('an error response that several operations have stands once, under a name of its status and its schemas', () => {
  const { paths, components } = documentOf(UsersController, TagsController)
  const refer = (name: string): object => ({ $ref: `#/components/responses/${name}` })
  const { 200: _ok, ...errors } = paths['/users/{id}'].get.responses
  assert.deepEqual(errors, { 400: refer('BadRequest'), 404: refer('NotFoundNoSuchUser'), 503: refer('ServiceUnavailable') })
  assert.deepEqual(paths['/users/{id}/posts'].get.responses['404'], refer('NotFoundNoSuchUser'))
  assert.deepEqual(Object.keys(components.responses), ['BadRequest', 'NotFoundNoSuchUser', 'ServiceUnavailable'])
  const { anyOf } = components.responses.NotFoundNoSuchUser.content['application/json'].schema
  assert.deepEqual(anyOf, [{ $ref: '#/components/schemas/NoSuchUser' }, { $ref: '#/components/schemas/AlcoveError' }])
  assert.deepEqual(Object.keys(components.schemas).toSorted(), ['AlcoveError', 'NoSuchUser'])
})

test('one that a single operation has stands there', () => {
  const { paths, components } = documentOf(UsersController, TagsController)
  assert.equal(paths['/tags/{id}'].get.responses['404'].description, 'Not Found')
  assert.equal(documentOf(TagsController).components.responses, undefined)
  assert.equal(components.responses.NotFound, undefined)
})

test('responses of success stand at their operations', () => {
  const { paths } = documentOf(UsersController)
  assert.equal(paths['/users/{id}'].get.responses['200'].description, 'OK')
})
