/** The code of docs/guide/routes.md about inheritance. */
// #region inheritance
import { Controller, Get, Hook, HttpError, Plugin, type Request, type RouteRequest } from 'alcove'

const find = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } } as const

class RequireUser {
  preHandler({ headers }: Request) {
    if (headers['x-user'] === undefined) throw new HttpError(401)
  }
}

class Owner {
  preHandler({ headers, params }: RouteRequest<typeof find>) {
    if (Number(headers['x-user']) !== params.id) throw new HttpError(403)
  }
}

@Hook('preHandler', RequireUser)
abstract class Crud {
  @Get('/:id', find)
  @Hook('preHandler', Owner)
  find({ params }: RouteRequest<typeof find>): object {
    return { id: params.id }
  }
}

@Controller('/orders')
class Orders extends Crud {
  override find({ params }: RouteRequest<typeof find>) {
    return { order: params.id } // the same path, schema and both hooks
  }
}
// #endregion

@Plugin({ routes: [Orders] })
export class App {}
