/** The code blocks of docs/how-to/coming-from-nest.md, for readers who know NestJS. */
// #region module
import { Controller, Get, Injectable, Plugin, type RouteRequest, shared } from 'alcove'

class Cats {
  find(id: number) {
    return { id, name: 'Tom' }
  }
}

@Plugin({ providers: [Cats] })
class CatsModule {}

const byId = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } } as const

@Injectable()
@Controller('/cats')
class CatsController {
  constructor(private readonly cats: Cats) {}

  @Get('/:id', byId) // @Param('id', ParseIntPipe)
  find({ params }: RouteRequest<typeof byId>) {
    return this.cats.find(params.id)
  }
}

// In Nest: imports: [CatsModule], with exports: [Cats] in CatsModule. Here a child keeps its providers to itself unless it is shared.
@Plugin({ imports: [shared(CatsModule)], routes: [CatsController] })
class CatsApp {}
// #endregion

// #region pipe
const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer', minimum: 1 } } },
  querystring: { type: 'object', properties: { fields: { type: 'string', default: 'all' } } },
} as const

@Controller('/dogs')
class DogsController {
  @Get('/:id', find) // ParseIntPipe, ValidationPipe and DefaultValuePipe
  find({ params, query }: RouteRequest<typeof find>) {
    return { id: params.id + 1, fields: query.fields }
  }
}
// #endregion

// #region guard
import { Config, Hook, HttpError, type Request } from 'alcove'

const Roles = (...roles: string[]) => Config({ roles }) // SetMetadata

class RolesGuard {
  preHandler({ headers, routeOptions }: Request) {
    const roles = routeOptions.config['roles'] as string[] | undefined // Reflector
    if (roles !== undefined && !roles.includes(String(headers['x-role']))) throw new HttpError(403)
  }
}

@Controller('/admin')
@Hook('preHandler', RolesGuard) // UseGuards
class AdminController {
  @Get()
  @Roles('admin')
  index() {
    return { ok: true }
  }
}
// #endregion

// #region interceptor
import { type Next, type Reply } from 'alcove'

class Envelope {
  async around(_request: Request, next: Next) {
    return { data: await next() }
  }
}

class Timing {
  onResponse(request: Request, reply: Reply) {
    request.log.info({ took: reply.elapsedTime }, 'answered')
  }
}

@Controller('/wrapped')
@Hook('around', Envelope) // UseInterceptors
@Hook('onResponse', Timing) // tap(), after the response
class WrappedController {
  @Get()
  index() {
    return { ok: true }
  }
}
// #endregion

// #region filter
import { type Server } from 'alcove'

class OutOfStock extends Error {}

class Wording {
  outOfStock = 'Out of stock'
}

@Injectable()
class ShopErrors {
  constructor(private readonly wording: Wording) {}

  errorHandler(error: Error, _request: Request, reply: Reply) {
    if (error instanceof OutOfStock) return reply.code(409).send({ message: this.wording.outOfStock })
    throw error // goes to the parent's handler, finally to the default one
  }
}

@Plugin({ providers: [Wording], routes: [WrappedController], errorHandler: ShopErrors }) // APP_FILTER, UseFilters
class ShopPlugin {
  setup(instance: Server) {
    instance.get('/order', () => {
      throw new OutOfStock()
    })
  }
}
// #endregion

// #region dynamic
import { factory, pluginOptions, token, use } from 'alcove'

const DB = token<{ url: string }>('DB')

interface DbOptions {
  url: string
}

@Plugin({ providers: [factory(DB, [pluginOptions<DbOptions>()], async ({ url }) => ({ url }))] })
class DbModule {
  setup(_instance: unknown, _options: DbOptions) {} // declares the type of the options
}

// DbModule.forRoot({ url }) with @Global(): shared with the root, so every plugin sees it
@Plugin({
  imports: [shared(use(DbModule, { url: 'postgres://db' })), CatsApp, ShopPlugin],
  routes: [DogsController, AdminController],
})
export class App {}
// #endregion

// #region testing
import { testServer } from 'alcove'

class FakeCats {
  find(id: number) {
    return { id, name: 'Fake' }
  }
}

export async function testCats() {
  // Test.createTestingModule({ imports: [CatsApp] }).overrideProvider(Cats).useClass(FakeCats)
  await using app = await testServer(CatsApp, { override: [[Cats, FakeCats]] })
  const { status, body } = await app.call(CatsController, 'find', { params: { id: 7 } })
  return { status, body }
}

@Plugin()
class NoShop {}

export async function testAdmin() {
  // .overrideGuard(RolesGuard).useValue(…), .overrideModule(ShopPlugin).useModule(NoShop), .overrideFilter, .overrideInterceptor
  await using app = await testServer(App, {
    override: [
      [RolesGuard, { preHandler() {} }],
      [ShopPlugin, NoShop],
    ],
  })
  const { status, body } = await app.call(AdminController, 'index')
  return { status, body, wrapped: (await app.inject('/wrapped')).statusCode }
}
// #endregion

/** For clients, which are typed by them. */
export type { AdminController, CatsController, DogsController, WrappedController }
