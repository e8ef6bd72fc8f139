/** The names that routes have in client files. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Controller, Get, Plugin, Route, Schema, use } from 'alcove'
import { clientFile } from 'alcove/contract'

type Class<T = object> = new () => T

/** The members of the client, `group.name`, as its type lists them. */
function membersOf(App: Class): string[] {
  const [, api = ''] = /interface Api (\{[^]*?\n\})/.exec(clientFile(App))!
  let group = ''
  return api.split('\n').flatMap((line) => {
    const [, opened] = /^ {2}(\w+): \{$/.exec(line) ?? []
    group = opened ?? (/^ {2}\}/.test(line) ? '' : group)
    const [, name] = /^ +(\w+): RouteFunction</.exec(line) ?? []
    return name === undefined ? [] : [group === '' ? name : `${group}.${name}`]
  })
}

const make = (path: string, withOther = false): Class<{ list(): void }> => {
  @Controller(path)
  class UsersController {
    @Get('/list')
    list() {}
  }
  if (withOther) {
    const descriptor = { value() {}, configurable: true, writable: true }
    Object.defineProperty(UsersController.prototype, 'other', descriptor)
    Get('/other')(UsersController.prototype, 'other', descriptor as never)
  }
  return UsersController
}

@Controller('/users')
class UsersController {
  @Get()
  list() {}
  @Get('/:id')
  @Schema({ operationId: 'findUser' })
  find() {}
}
@Route({ method: 'GET', path: '/two' })
class GetTwo {
  handle() {}
}
@Plugin({ prefix: '/admin', routes: [UsersController, GetTwo] })
class AdminPlugin {}
@Plugin({ prefix: '/public', routes: [UsersController, GetTwo] })
class PublicPlugin {}

test('a controller and a route class in two contexts have the names of these', () => {
  @Plugin({ imports: [AdminPlugin, PublicPlugin] })
  class App {}
  assert.deepEqual(membersOf(App), [
    'adminFindUser',
    'adminGetTwo',
    'publicFindUser',
    'publicGetTwo',
    'adminUsers.list',
    'publicUsers.list',
  ])
  @Plugin({ imports: [AdminPlugin] })
  class One {}
  assert.deepEqual(membersOf(One), ['findUser', 'getTwo', 'users.list'])
})

test('a plugin that is used with two prefixes has a group for each', () => {
  @Plugin({ routes: [UsersController] })
  class BranchPlugin {}
  @Plugin({ imports: [use(BranchPlugin, { prefix: '/north' }), use(BranchPlugin, { prefix: '/south' })] })
  class App {}
  assert.deepEqual(membersOf(App), ['northFindUser', 'southFindUser', 'northUsers.list', 'southUsers.list'])
})

test('two controllers of one name in one context have the names of their paths', () => {
  @Plugin({ routes: [make('/one', true), make('/two')] })
  class Same {}
  assert.deepEqual(membersOf(Same), ['oneUsers.list', 'oneUsers.other', 'twoUsers.list'])
})

test('one name that is written for two methods is refused', () => {
  @Controller('/posts')
  class PostsController {
    @Get('/:id')
    @Schema({ operationId: 'findUser' })
    find() {}
  }
  @Plugin({ routes: [UsersController, PostsController] })
  class App {}
  assert.throws(
    () => clientFile(App),
    /^TypeError: The client cannot have two members 'findUser': GET \/users\/:id .* and GET \/posts\/:id .*another operationId/,
  )
})

test('the constant of a route is named like its function, with a number if another route or the code has this name', () => {
  const constantsOf = (App: Class): string[] =>
    [...clientFile(App).matchAll(/^export const (\w+): RouteEntry<(.*?)> =/gm)].map(([, ...pair]) => pair.join(' '))
  @Controller('/users')
  class UsersController {
    @Get()
    list() {}
    // A comment in the code of the file names its constant.
    @Get('/:id')
    find() {}
    @Get('/call')
    @Schema({ operationId: 'call' })
    call() {}
    @Get('/delete')
    @Schema({ operationId: 'delete' })
    delete() {}
    @Get('/other')
    @Schema({ operationId: 'usersList' })
    other() {}
    @Get('/text')
    'a-b'() {}
  }
  @Plugin({ routes: [UsersController] })
  class App {}
  assert.deepEqual(constantsOf(App), [
    'usersListRoute Api["users"]["list"]',
    'usersFindRoute Api["users"]["find"]',
    'call2Route Api["call"]',
    'deleteRoute Api["delete"]',
    'usersList2Route Api["usersList"]',
    'usersA_bRoute Api["users"]["a-b"]',
  ])
})
