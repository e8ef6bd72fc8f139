/** Request decorators without a value, which a hook sets: the programs that the compiler takes, and those that it refuses. */
import {
  type Class,
  Controller,
  Get,
  Hook,
  type HookSetDecorator,
  type Optional,
  Plugin,
  requestDecorator,
  Route,
  type RouteRequest,
  type Server,
  shared,
  use,
  Without,
} from 'alcove'

interface User {
  readonly name: string
}
const CurrentUser = requestDecorator('user').as<User>()
type WithUser = RouteRequest<unknown, [typeof CurrentUser]>
type PerhapsUser = RouteRequest<unknown, [Optional<typeof CurrentUser>]>

CurrentUser satisfies HookSetDecorator<'user', User>
requestDecorator('visitor', null).as<User | null>()
requestDecorator('tenant', '').as<string>()
// @ts-expect-error null is not a user
requestDecorator('user', null).as<User>()

class RequireUser {
  static readonly sets = [CurrentUser] as const
  onRequest(request: WithUser) {
    request.user = { name: 'Ada' }
  }
}
class RolesGuard {
  static readonly requires = [CurrentUser] as const
  preHandler({ user }: WithUser) {
    return user.name
  }
}
@Route({ method: 'GET', path: '/me' })
class Me {
  handle({ user }: WithUser) {
    return user.name
  }
}
@Route({ method: 'GET', path: '/home' })
class Home {
  handle({ user }: PerhapsUser) {
    const name: string | undefined = user?.name
    return name
  }
}
Hook('onRequest', RequireUser)
Hook('preHandler', RolesGuard)

// A plugin has a decorator for its routes if its own hooks set it, or if it requires it.
Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: RequireUser }, routes: [Me] })
Plugin({ hooks: { onRequest: RequireUser, preHandler: [RolesGuard] }, routes: [Me] })
Plugin({ requires: [CurrentUser], routes: [Me], hooks: { preHandler: RolesGuard } })
Plugin({ decorateRequest: [CurrentUser], routes: [Home] })
// @ts-expect-error the decorator is added, but no hook sets it
Plugin({ decorateRequest: [CurrentUser], routes: [Me] })
// @ts-expect-error the same for a hook
Plugin({ decorateRequest: [CurrentUser], hooks: { preHandler: RolesGuard } })
// @ts-expect-error a late hook sets nothing for a handler
Plugin({ decorateRequest: [CurrentUser], hooks: { onSend: RequireUser as Class }, routes: [Me] })

// An error handler and a late hook run although a guard has refused the request.
class Errors {
  errorHandler(_error: Error, { user }: WithUser) {
    return user.name
  }
}
class PerhapsErrors {
  errorHandler(_error: Error, { user }: PerhapsUser) {
    return user?.name
  }
}
class Audit {
  static readonly requires = [CurrentUser] as const
  onResponse({ user }: WithUser) {
    void user
  }
}
class Unknown {
  static readonly requires = [CurrentUser] as const
  notFoundHandler({ user }: WithUser) {
    return user.name
  }
}
Plugin({ requires: [CurrentUser], errorHandler: PerhapsErrors, notFoundHandler: Unknown })
// @ts-expect-error
Plugin({ requires: [CurrentUser], errorHandler: Errors })
// @ts-expect-error
Plugin({ requires: [CurrentUser], hooks: { onResponse: Audit } })
class ReadsUnknown {
  notFoundHandler({ user }: WithUser) {
    return user.name
  }
}
// @ts-expect-error the class lacks static requires
Plugin({ requires: [CurrentUser], notFoundHandler: ReadsUnknown })
// The errors of one route, too, may come before the hook. Nothing tells the route which plugin has it, so a value at the start is not known either.
const StartedAt = requestDecorator('startedAt', 0)
class Timing {
  errorHandler(_error: Error, { startedAt }: RouteRequest<unknown, [typeof StartedAt]>) {
    return startedAt
  }
}
Get({ errorHandler: PerhapsErrors })
Controller('/', { errorHandler: PerhapsErrors })
Route({ method: 'GET', errorHandler: PerhapsErrors })
// @ts-expect-error
Get({ errorHandler: Errors })
// @ts-expect-error
Controller('/', { errorHandler: Errors })
// @ts-expect-error
Route({ method: 'GET', errorHandler: Errors })
// @ts-expect-error
Get({ errorHandler: Timing })

// A plugin sees only public methods, so others read no decorator.
@Controller()
export class NotPublic {
  @Get('/public') me({ user }: WithUser) {
    return user
  }
  // @ts-expect-error
  @Get('/protected') protected mine({ user }: WithUser) {
    return user
  }
  // @ts-expect-error
  @Get('/private') private own({ user }: WithUser) {
    return user
  }
  @Get('/perhaps') protected perhaps({ user }: PerhapsUser) {
    return user
  }
}
@Plugin()
export class NotPublicHook {
  // @ts-expect-error
  @Hook('preHandler') protected check({ user }: WithUser) {
    return user
  }
  @Hook('preHandler') protected look({ user }: PerhapsUser) {
    return user
  }
}

// A list whose type does not say which classes it has would hide what they read.
const routes: Class[] = [Me]
const objects: (new () => object)[] = [Me]
// @ts-expect-error
Plugin({ routes })
// @ts-expect-error
Plugin({ routes: objects })
// @ts-expect-error
Plugin({ requires: [CurrentUser], routes: [Me, ...routes] })
Plugin({ requires: [CurrentUser], routes: [] })
Plugin({ requires: [CurrentUser], routes: [Me, Home] as (typeof Me | typeof Home)[] })

// An import says whether a plugin function sets a decorator, or only adds it.
const sessions = async (server: Server) => void server.decorateRequest('user', null)
Plugin({ imports: [use(sessions, {}, { sets: [CurrentUser] })], routes: [Me] })
// @ts-expect-error the function only adds it
Plugin({ imports: [use(sessions, {}, { decorates: [CurrentUser] })], routes: [Me] })
Plugin({ imports: [shared(use(sessions, {}, { sets: [CurrentUser] }))], routes: [Me] })
// @ts-expect-error
Plugin({ imports: [shared(use(sessions, {}, { decorates: [CurrentUser] }))], routes: [Me] })
// @ts-expect-error
Plugin({ imports: [shared(use(sessions, {}, { sets: [requestDecorator('account').as<User>()] }))], routes: [Me] })
// Nothing says what these imports add.
Plugin({ imports: [shared(use(sessions))], routes: [Me] })
Plugin({ imports: [shared(class Sessions {})], routes: [Me] })

// A route that does without a decorator does not read it.
@Without(CurrentUser)
@Route({ method: 'GET', path: '/open' })
export class Open {
  handle({ user }: PerhapsUser) {
    return user
  }
}
// @ts-expect-error
@Without(CurrentUser)
@Route({ method: 'GET', path: '/closed' })
export class Closed {
  handle({ user }: WithUser) {
    return user
  }
}
@Controller()
export class Users {
  @Without(CurrentUser) @Get('/login') login({ user }: PerhapsUser) {
    return user
  }
  @Without(CurrentUser) @Get('/open') open() {}
  // @ts-expect-error
  @Without(CurrentUser) @Get('/me') me({ user }: WithUser) {
    return user
  }
}

// The boot knows when a hook runs, but not what it reads, unless its class says so.
class ReadsSilently {
  onRequest({ user }: WithUser) {
    return user.name
  }
}
class SetsLate {
  static readonly sets = [CurrentUser] as const
  preHandler(request: WithUser) {
    request.user = { name: 'Ada' }
  }
}
// @ts-expect-error the class lacks static requires
Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: ReadsSilently, preHandler: SetsLate } })
// @ts-expect-error a function cannot say what it requires
Plugin({ requires: [CurrentUser], hooks: { preHandler: [RolesGuard, async ({ user }: WithUser) => void user.name] } })
Plugin({ requires: [CurrentUser], hooks: { preHandler: [RolesGuard], onRequest: async ({ user }: PerhapsUser) => void user?.name } })
class ReadsInMethod {
  audit({ user }: WithUser) {
    return user.name
  }
}
// @ts-expect-error the method may be a hook that runs before the user is set, or although a guard has refused the request
Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: RequireUser } })(ReadsInMethod)
class MayReadInMethod {
  audit({ user }: PerhapsUser) {
    return user?.name
  }
}
Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: RequireUser } })(MayReadInMethod)
class SetsAround {
  static readonly sets = [CurrentUser] as const
  around(request: WithUser, next: () => Promise<unknown>) {
    request.user = { name: 'Ada' }
    return next()
  }
}
class AnswersUnknown {
  static readonly requires = [CurrentUser] as const
  notFoundHandler({ user }: WithUser) {
    return user.name
  }
}
Plugin({ decorateRequest: [CurrentUser], hooks: { onRequest: RequireUser }, notFoundHandler: AnswersUnknown })
// @ts-expect-error around hooks surround the handlers of routes only
Plugin({ decorateRequest: [CurrentUser], hooks: { around: SetsAround }, notFoundHandler: AnswersUnknown })
