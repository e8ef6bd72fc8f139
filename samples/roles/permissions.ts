/** How do routes name what they need, instead of who may? By permissions, which a table gives to roles. */
import { Config, Controller, Get, httpError, Injectable, Plugin, Post, requestDecorator, type RouteRequest } from 'alcove'

const roles = {
  clerk: ['orders:read', 'orders:change'],
  manager: ['orders:read', 'orders:change', 'orders:refund'],
} as const
export type Role = keyof typeof roles
export type Permission = (typeof roles)[Role][number]

export interface User {
  readonly name: string
  readonly role: Role
}

export const CurrentUser = requestDecorator('user').as<User>()

class Unauthorized extends httpError(401, {}, { message: 'Send a valid key as x-key' }) {}
class Forbidden extends httpError(
  403,
  { type: 'object', properties: { needed: { type: 'string' } } },
  { message: 'You lack a permission' },
) {}

export class Users {
  readonly #users = new Map<string, User>([
    ['cleo-key', { name: 'Cleo', role: 'clerk' }],
    ['mia-key', { name: 'Mia', role: 'manager' }],
  ])
  find(key: string | undefined): User | undefined {
    return this.#users.get(key ?? '')
  }
}

@Injectable()
class RequireUser {
  static readonly sets = [CurrentUser] as const
  static readonly throws = [Unauthorized] as const
  constructor(private readonly users: Users) {}

  onRequest(request: RouteRequest<unknown, [typeof CurrentUser]>) {
    const user = this.users.find(request.headers['x-key'] as string | undefined)
    if (user === undefined) throw new Unauthorized()
    request.user = user
  }
}

/** What the user of a request may do. One place for the rule, for guards and handlers. */
export class Permissions {
  has({ role }: User, permission: Permission): boolean {
    return (roles[role] as readonly Permission[]).includes(permission)
  }
}

/** The permission that a route needs. A name that is in no role does not compile. */
export const Needs = (permission: Permission) => Config({ permission })

/** Refuses a route that names no permission: a forgotten @Needs closes a route, and does not open it. */
@Injectable()
export class RequirePermission {
  static readonly requires = [CurrentUser] as const
  static readonly throws = [Forbidden] as const
  constructor(private readonly permissions: Permissions) {}

  onRequest({ user, routeOptions }: RouteRequest<unknown, [typeof CurrentUser]>) {
    const permission = routeOptions.config['permission'] as Permission | undefined
    if (permission === undefined) throw new Forbidden({}, 'The route names no permission')
    if (!this.permissions.has(user, permission)) throw new Forbidden({ needed: permission })
  }
}

@Injectable()
@Controller('/orders')
@Needs('orders:read')
class OrdersController {
  constructor(private readonly permissions: Permissions) {}

  @Get()
  list({ user }: RouteRequest<unknown, [typeof CurrentUser]>) {
    return { orders: [], canRefund: this.permissions.has(user, 'orders:refund') }
  }

  @Post({ path: '/:id/refunds', status: 201 })
  @Needs('orders:refund')
  refund({ params }: RouteRequest) {
    return { refunded: params['id'] }
  }
}

@Controller('/reports')
class ReportsController {
  @Get()
  list() {
    return ['nobody sees this: the route names no permission']
  }
}

@Plugin({
  decorateRequest: [CurrentUser],
  providers: [Users, Permissions],
  hooks: { onRequest: [RequireUser, RequirePermission] },
  routes: [OrdersController, ReportsController],
})
export class App {}
