/** The code of docs/guide/request-decorators.md. */
// #region decorators
import { Controller, Get, Hook, Plugin, requestDecorator, type RouteRequest } from 'alcove'

interface User {
  name: string
}

export const CurrentUser = requestDecorator('user', null).as<User | null>()

@Controller('/account')
class AccountController {
  @Get()
  show({ user }: RouteRequest<unknown, [typeof CurrentUser]>) {
    return { user: user?.name ?? 'nobody' }
  }
}

@Plugin({ requires: [CurrentUser], routes: [AccountController] })
class AccountPlugin {}

@Plugin({ decorateRequest: [CurrentUser], imports: [AccountPlugin] })
export class App {
  @Hook('onRequest')
  authenticate(request: RouteRequest<unknown, [typeof CurrentUser]>) {
    const { authorization } = request.headers
    if (authorization === 'Bearer ada-token') request.user = { name: 'Ada' }
  }
}
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
