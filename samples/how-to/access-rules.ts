/** The code of docs/how-to/access-rules.md. */
import { Controller, Get, Hook, HttpError, Plugin, Post, requestDecorator, type RouteRequest, type SecuritySchemes } from 'alcove'

interface User {
  readonly name: string
  readonly isAdmin: boolean
}
const CurrentUser = requestDecorator('user').as<User>()

export class Sessions {
  readonly #users = new Map<string, User>([
    ['Bearer ada', { name: 'Ada', isAdmin: true }],
    ['Bearer bob', { name: 'Bob', isAdmin: false }],
  ])
  find(key: string | undefined): User | undefined {
    return this.#users.get(key ?? '')
  }
}

/** Only the plugin of payments may read these. */
export class CardNumbers {}

export class RequireUser {
  static readonly inject = [Sessions] as const
  static readonly sets = [CurrentUser] as const
  static readonly security = { bearer: { type: 'http', scheme: 'bearer' } } satisfies SecuritySchemes
  constructor(private readonly sessions: Sessions) {}

  onRequest(request: RouteRequest<unknown, [typeof CurrentUser]>) {
    const user = this.sessions.find(request.headers.authorization)
    if (user === undefined) throw new HttpError(401)
    request.user = user
  }
}

export class RequireAdmin {
  static readonly requires = [CurrentUser] as const
  preHandler({ user }: RouteRequest<unknown, [typeof CurrentUser]>) {
    if (!user.isAdmin) throw new HttpError(403)
  }
}

@Controller('/reports')
class ReportsController {
  @Get()
  list() {
    return { reports: ['sales'] }
  }
}
@Plugin({ routes: [ReportsController] })
class ReportsPlugin {}

@Controller('/payments')
@Hook('onRequest', RequireUser)
class PaymentsController {
  @Post()
  pay() {
    return { paid: true }
  }
}
@Plugin({ requires: [CurrentUser], providers: [CardNumbers], private: [CardNumbers], routes: [PaymentsController] })
class PaymentsPlugin {}

@Controller('/products')
export class ProductsController {
  @Get()
  list() {
    return { products: ['Lamp'] }
  }
}
@Controller('/sessions')
class SessionsController {
  @Post()
  login() {
    return { token: 'ada' }
  }
}

// #region rules
import { rule } from 'alcove'

@Plugin({
  prefix: '/admin',
  requires: [CurrentUser],
  hooks: { onRequest: RequireUser, preHandler: RequireAdmin },
  imports: [ReportsPlugin],
  access: [rule.routes('/**').run(RequireUser, RequireAdmin), rule.neverSees(CardNumbers)],
})
export class AdminPlugin {}

@Plugin({
  decorateRequest: [CurrentUser],
  providers: [Sessions],
  routes: [ProductsController, SessionsController],
  imports: [PaymentsPlugin, AdminPlugin],
  access: [rule.public({ exactly: [ProductsController, 'POST /sessions'] })],
})
export class App {}
// #endregion
