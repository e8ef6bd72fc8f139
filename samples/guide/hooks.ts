/** The code of docs/guide/hooks.md. */
import { Plugin, requestDecorator } from 'alcove'

// #region guard
import { Config, Controller, Get, Hook, HttpError, Injectable, type RouteRequest } from 'alcove'

class Users {
  roleOf(name: string | null): string | undefined {
    return name === 'ada' ? 'admin' : 'reader'
  }
}

const CurrentUser = requestDecorator('user', null).as<string | null>()

const Roles = (...roles: string[]) => Config({ roles })

/** A route without @Roles is open to every user. */
@Injectable()
class RolesGuard {
  static readonly requires = [CurrentUser] as const
  constructor(private readonly users: Users) {}

  preHandler({ user, routeOptions }: RouteRequest<unknown, [typeof CurrentUser]>) {
    const roles = routeOptions.config['roles'] as string[] | undefined
    if (roles !== undefined && !roles.includes(this.users.roleOf(user) ?? '')) throw new HttpError(403)
  }
}

@Controller('/admin')
@Hook('preHandler', RolesGuard)
class AdminController {
  @Get('/report')
  @Roles('admin')
  report() {
    return { visits: 7 }
  }
}
// #endregion

// #region area
class RequireUser {
  static readonly requires = [CurrentUser] as const

  onRequest({ user }: RouteRequest<unknown, [typeof CurrentUser]>) {
    if (user === null) throw new HttpError(401)
  }
}

@Plugin({ requires: [CurrentUser], hooks: { onRequest: RequireUser }, routes: [AdminController] })
class AuthenticatedArea {}
// #endregion

// #region method
@Plugin({ decorateRequest: [CurrentUser], providers: [Users], imports: [AuthenticatedArea] })
export class App {
  @Hook('onRequest')
  authenticate(request: RouteRequest<unknown, [typeof CurrentUser]>) {
    const { 'x-user': name } = request.headers
    if (typeof name === 'string') request.user = name
  }
}
// #endregion
