/** The code of docs/guide/routes.md. */
// #region route
import {
  Action,
  buildValidatorCompiler,
  Controller,
  Get,
  HttpError,
  Plugin,
  Post,
  Put,
  type Reply,
  Route,
  type RouteRequest,
  type Server,
} from 'alcove'

const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  response: {
    200: { type: 'object', properties: { name: { type: 'string' } } },
    404: { type: 'object', properties: { message: { type: 'string' } } },
  },
} as const

@Route({ method: 'GET', path: '/people/:id' }, find)
class GetPerson {
  handle({ params }: RouteRequest<typeof find>) {
    return { name: `person ${params.id}` } // params.id is a number
  }
}
// #endregion

// #region controller
@Controller('/users')
class UsersController {
  @Get('/:id', find)
  find({ params }: RouteRequest<typeof find>) {
    if (params.id > 100) throw new HttpError(404, 'No such user')
    return { name: `user ${params.id}` }
  }

  @Post({ path: '/', status: 201 })
  create({ body }: RouteRequest) {
    return body
  }

  @Put('/:id', find)
  replace({ params }: RouteRequest<typeof find>, reply: Reply<typeof find>) {
    if (params.id > 100) return reply.code(404).send({ message: 'No such user' })
    return reply.send({ name: `user ${params.id}` })
  }
}
// #endregion

// #region options
@Controller('/users', { constraints: { version: '2.0.0' }, config: { team: 'accounts' } })
class UsersController2 {
  @Get({ path: '/:id', config: { slow: true } })
  find({ routeOptions }: RouteRequest) {
    const { team, slow } = routeOptions.config
    return { team, slow } // { team: 'accounts', slow: true }
  }
}
// #endregion

// #region methods
declare module 'alcove' {
  interface AddedMethods {
    REPORT: true
  }
}

@Controller('/files')
class FilesController {
  @Action('PROPFIND', '/:id')
  properties({ params }: RouteRequest) {
    return params
  }

  @Action('REPORT', '/:id')
  report({ body }: RouteRequest) {
    return body
  }
}

@Plugin({ routes: [FilesController] })
class FilesPlugin {
  setup(server: Server) {
    server.addHttpMethod('REPORT', { hasBody: true })
  }
}
// #endregion

// #region constant
const findOrder = Get('/:id', { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } })

@Controller('/orders')
class OrdersController {
  @findOrder
  find({ params }: RouteRequest<typeof findOrder>) {
    return { next: params.id + 1 } // params.id is a number
  }
}
// #endregion

const order = {
  params: { id: { type: 'integer' } },
  body: { type: 'object', required: ['amount', 'currency'], properties: { amount: { type: 'integer' }, currency: { type: 'string' } } },
} as const

@Controller('/all-faults')
class AllFaultsController {
  @Post('/:id', order)
  create({ params, body }: RouteRequest<typeof order>) {
    return { ...params, ...body }
  }
}

// #region validator
@Plugin({
  routes: [AllFaultsController],
  schemaController: {
    compilersFactory: {
      buildValidator(schemas, options) {
        const first = buildValidatorCompiler(schemas, options)
        const all = buildValidatorCompiler(schemas, { ...options, customOptions: { allErrors: true } })
        return (route) => (route.httpPart === 'body' ? all : first)(route)
      },
    },
  },
})
class AllFaultsPlugin {}
// #endregion

@Plugin({ routes: [GetPerson, UsersController, UsersController2, OrdersController], imports: [FilesPlugin, AllFaultsPlugin] })
export class App {}
