/** The code of docs/guide/request-decorators.md. */
// #region decorators
import { Controller, Get, HttpError, Plugin, requestDecorator, type RouteRequest } from 'alcove'

interface User {
  name: string
}

export const CurrentUser = requestDecorator('user').as<User>()

class RequireUser {
  static readonly sets = [CurrentUser] as const

  onRequest(request: RouteRequest<unknown, [typeof CurrentUser]>) {
    if (request.headers.authorization !== 'Bearer ada-token') throw new HttpError(401)
    request.user = { name: 'Ada' }
  }
}

@Controller('/account')
class AccountController {
  @Get()
  show({ user }: RouteRequest<unknown, [typeof CurrentUser]>) {
    return { user: user.name }
  }
}

@Plugin({ requires: [CurrentUser], routes: [AccountController] })
class AccountPlugin {}

@Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: RequireUser }, imports: [AccountPlugin] })
export class App {}
// #endregion

// #region without
import { Hook, Post, Without } from 'alcove'

@Controller('/session')
class SessionController {
  @Post()
  @Without(CurrentUser)
  logIn() {
    return { token: 'ada-token' }
  }

  @Get()
  @Hook('onRequest', RequireUser)
  show({ user }: RouteRequest<unknown, [typeof CurrentUser]>) {
    return { user: user.name }
  }
}

@Plugin({ requires: [CurrentUser], decorateRequest: [CurrentUser], routes: [SessionController] })
export class SessionPlugin {}
// #endregion

// #region value
export const StartedAt = requestDecorator('startedAt', 0)
export const Visitor = requestDecorator('visitor', null).as<User | null>()
// #endregion

// #region optional
import type { Optional } from 'alcove'

@Controller('/greeting')
class GreetingController {
  @Get()
  greet({ user }: RouteRequest<unknown, [Optional<typeof CurrentUser>]>) {
    return { hello: user?.name ?? 'whoever you are' } // user may be undefined
  }
}
// #endregion

@Plugin({ routes: [GreetingController] })
export class GreetingPlugin {}
