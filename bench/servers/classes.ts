import type { Server } from 'node:http'
import {
  bootstrap,
  type Class,
  Controller,
  Get,
  Hook,
  HttpError,
  Injectable,
  Plugin,
  Post,
  REQUEST,
  type Request,
  requestDecorator,
  type RouteRequest,
  type RouteSchema,
  type ServerOptions,
} from 'alcove'
import {
  account,
  authenticate,
  bootSchema,
  bootSuffix,
  createUser,
  findOrder,
  hello,
  list,
  listPeople,
  order,
  Plans,
  resource,
  routeCount,
  routePath,
  trace,
  Trace,
  user,
} from '../data.mjs'

@Controller('/')
class HelloController {
  @Get('', hello)
  hello() {
    return { hello: 'world' }
  }
}

@Plugin({ routes: [HelloController] })
class HelloApp {}

@Controller('/orders')
class OrdersController {
  @Get('/:id', order)
  find({ params, query }: RouteRequest<typeof order>) {
    return findOrder(params.id, query)
  }
}

@Plugin({ routes: [OrdersController] })
class QueryApp {}

@Controller('/users')
class UsersController {
  @Post({ status: 201 }, user)
  create({ body }: RouteRequest<typeof user>) {
    return createUser(body)
  }
}

@Plugin({ routes: [UsersController] })
class BodyApp {}

@Controller('/people')
class PeopleController {
  @Get('', list)
  list() {
    return listPeople()
  }
}

@Plugin({ routes: [PeopleController] })
class ListApp {}

const Tenant = requestDecorator('tenant', '')
const Locale = requestDecorator('locale', '')
const User = requestDecorator('user', '')

@Injectable()
@Controller('/')
class AccountController {
  constructor(private readonly plans: Plans) {}

  @Get('', account)
  find({ tenant, locale, user }: RouteRequest<typeof account, [typeof Tenant, typeof Locale, typeof User]>) {
    return { tenant, locale, user, plan: this.plans.planOf(user) }
  }
}

@Plugin({ prefix: '/account', decorateRequest: [User], requires: [Tenant, Locale], routes: [AccountController] })
class AccountPlugin {
  @Hook('onRequest')
  async authenticate(request: RouteRequest<unknown, [typeof User]>) {
    const found = authenticate(request.headers.authorization)
    if (found === undefined) throw new HttpError(401, 'No valid token')
    request.user = found
  }
}

@Plugin({ prefix: '/api/v1', decorateRequest: [Locale], imports: [AccountPlugin] })
class VersionPlugin {
  @Hook('onRequest')
  async readLocale(request: RouteRequest<unknown, [typeof Locale]>) {
    request.locale = request.headers['accept-language'] as string
  }
}

@Plugin({ providers: [Plans], decorateRequest: [Tenant], imports: [VersionPlugin] })
class ContextsApp {
  @Hook('onRequest')
  async readTenant(request: RouteRequest<unknown, [typeof Tenant]>) {
    request.tenant = request.headers['x-tenant'] as string
  }
}

@Injectable({ scope: 'request' })
class RequestTrace extends Trace {
  static readonly inject = [REQUEST] as const

  constructor(request: Request) {
    super(request.url, request.headers['x-caller'])
  }

  [Symbol.dispose]() {
    this.end()
  }
}

@Injectable()
@Controller('/trace')
class TraceController {
  constructor(private readonly trace: RequestTrace) {}

  @Get('', trace)
  find() {
    return { url: this.trace.url, caller: this.trace.caller }
  }
}

@Plugin({ providers: [RequestTrace], routes: [TraceController] })
class ScopeApp {}

function routesApp(): Class {
  const routes = Array.from({ length: routeCount }, (_, route) => {
    @Controller(routePath(route))
    class ResourceController {
      @Get('/:id', resource)
      find({ params }: RouteRequest<typeof resource>) {
        return { route, id: params.id }
      }
    }
    return ResourceController
  })
  @Plugin({ routes })
  class RoutesApp {}
  return RoutesApp
}

const workloads: Record<string, () => Class> = {
  hello: () => HelloApp,
  query: () => QueryApp,
  body: () => BodyApp,
  list: () => ListApp,
  contexts: () => ContextsApp,
  scope: () => ScopeApp,
  routes: routesApp,
}

function bootApp(count: number, kind: string): Class {
  const routes = Array.from({ length: count }, (_, index) => {
    const schema: RouteSchema = bootSchema(bootSuffix(kind, index))
    @Controller(`/boot${index}`)
    class BootController {
      @Post('/:key', schema)
      create({ body }: RouteRequest) {
        return body
      }
    }
    return BootController
  })
  @Plugin({ routes })
  class BootApp {}
  return BootApp
}

/** The plugin class of a workload, or of a boot: `1000 distinct`. */
export function applicationOf(name: string): Class {
  const [count, kind] = name.split(' ')
  return kind === undefined ? workloads[name]!() : bootApp(Number(count), kind)
}

/** @param application the name of a workload, or of a boot: `1000 distinct` */
export async function start(application: string, options: ServerOptions = {}): Promise<Server> {
  const server = await bootstrap(applicationOf(application), options)
  await server.listen({ port: 0, host: '127.0.0.1' })
  return server.server
}

export const serve = (workload: string): Promise<Server> => start(workload)
export const boot = (count: number, kind: string): Promise<Server> => start(`${count} ${kind}`)
