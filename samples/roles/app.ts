/** How is a route guarded by roles? By an own decorator, based on @Config, and a hook class that reads it. */
// #region roles
import { Config, Controller, Get, Hook, HttpError, Injectable, Plugin, requestDecorator, type RouteRequest } from 'alcove'

export interface User {
  name: string
  role: 'admin' | 'reader'
}

export const CurrentUser = requestDecorator('user', null).as<User | null>()

const Roles = (...roles: User['role'][]) => Config({ roles })

export class Sessions {
  readonly #users = new Map<string, User>([
    ['ada-key', { name: 'Ada', role: 'admin' }],
    ['bob-key', { name: 'Bob', role: 'reader' }],
  ])
  find(key: string | undefined): User | null {
    return this.#users.get(key ?? '') ?? null
  }
}

const refusal = (description: string) => ({ description, type: 'object', properties: { message: { type: 'string' } } }) as const

/** A route without @Roles is open to every logged-in user. For public routes, use a controller without this guard. */
class RolesGuard {
  static readonly requires = [CurrentUser] as const
  /** For the description of the routes that it covers. */
  static readonly responses = { 401: refusal('Nobody is logged in'), 403: refusal('The user has none of the roles') }
  static readonly security = { key: { type: 'apiKey', in: 'header', name: 'x-key' } } as const

  preHandler({ user, routeOptions }: RouteRequest<unknown, [typeof CurrentUser]>) {
    if (user === null) throw new HttpError(401)
    const roles = routeOptions.config['roles'] as User['role'][] | undefined
    if (roles !== undefined && !roles.includes(user.role)) throw new HttpError(403)
  }
}

@Controller('/reports')
@Hook('preHandler', RolesGuard)
class ReportsController {
  @Get()
  list({ user }: RouteRequest<unknown, [typeof CurrentUser]>) {
    return { for: user?.name }
  }

  @Get('/salaries')
  @Roles('admin')
  salaries() {
    return { salaries: [1, 2, 3] }
  }
}

@Plugin({ requires: [CurrentUser], routes: [ReportsController] })
export class ReportsPlugin {}

@Injectable()
@Plugin({ decorateRequest: [CurrentUser], providers: [Sessions], imports: [ReportsPlugin] })
export class App {
  constructor(private readonly sessions: Sessions) {}

  @Hook('onRequest')
  authenticate(request: RouteRequest<unknown, [typeof CurrentUser]>) {
    request.user = this.sessions.find(request.headers['x-key'] as string | undefined)
  }
}
// #endregion

/** For clients, which are typed by them. */
export type { ReportsController }
