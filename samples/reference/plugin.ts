// #region plugin
import { Controller, Get, Plugin, type RouteRequest } from 'alcove'

const find = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } } as const

@Controller('/users', { logLevel: 'warn' })
class UsersController {
  @Get({ path: '/:id', handlerTimeout: 5_000, config: { role: 'reader' } }, find)
  find({ params }: RouteRequest<typeof find>) {
    return { id: params.id }
  }
}

@Plugin({ prefix: '/v1', routes: [UsersController] })
export class App {}
// #endregion
