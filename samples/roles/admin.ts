/** How is a whole plugin guarded by a role? By a guard among its hooks. */
import { Controller, Delete, Get, httpError, Injectable, Plugin, requestDecorator, type RouteRequest } from 'alcove'

export interface User {
  readonly name: string
  readonly roles: readonly string[]
}

/** `request.user`, of routes behind {@link RequireUser}. */
export const CurrentUser = requestDecorator('user').as<User>()

export class Unauthorized extends httpError(401, {}, { message: 'Send a valid key as x-key' }) {}
export class Forbidden extends httpError(403, {}, { message: 'Your role does not allow this' }) {}

export class Users {
  readonly #users = new Map<string, User>([
    ['ada-key', { name: 'Ada', roles: ['admin'] }],
    ['bob-key', { name: 'Bob', roles: ['reader'] }],
  ])
  find(key: string | undefined): User | undefined {
    return this.#users.get(key ?? '')
  }
}

/** Says who the user is. */
@Injectable()
export class RequireUser {
  static readonly sets = [CurrentUser] as const
  static readonly throws = [Unauthorized] as const
  static readonly security = { key: { type: 'apiKey', in: 'header', name: 'x-key' } } as const
  constructor(private readonly users: Users) {}

  onRequest(request: RouteRequest<unknown, [typeof CurrentUser]>) {
    const user = this.users.find(request.headers['x-key'] as string | undefined)
    if (user === undefined) throw new Unauthorized()
    request.user = user
  }
}

/** Says what the user may do: everything of the plugin that lists this guard, or nothing. */
export class RequireAdmin {
  static readonly requires = [CurrentUser] as const
  static readonly throws = [Forbidden] as const

  onRequest({ user }: RouteRequest<unknown, [typeof CurrentUser]>) {
    if (!user.roles.includes('admin')) throw new Forbidden()
  }
}

@Controller('/users')
class AdminController {
  @Get()
  list() {
    return ['Ada', 'Bob']
  }

  @Delete('/:name')
  remove({ user, params }: RouteRequest<unknown, [typeof CurrentUser]>) {
    return { removed: params['name'], by: user.name }
  }
}

@Controller('/me')
class MeController {
  @Get()
  show({ user }: RouteRequest<unknown, [typeof CurrentUser]>) {
    return { name: user.name }
  }
}

/** Every route in this context and in those below needs the role, also one that is added next year. */
@Plugin({ prefix: '/admin', requires: [CurrentUser], hooks: { onRequest: RequireAdmin }, routes: [AdminController] })
export class AdminPlugin {}

@Plugin({
  decorateRequest: [CurrentUser],
  providers: [Users],
  hooks: { onRequest: RequireUser },
  routes: [MeController],
  imports: [AdminPlugin],
})
export class App {}
