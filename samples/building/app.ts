/** How is a server compiled ahead of time? `alcove build` writes a module, and the server reads it. */
import { Get, Controller, Plugin, type RouteRequest, type ServerOptions } from 'alcove'

const find = {
  params: { id: { type: 'integer' } },
  response: { 200: { type: 'object', properties: { id: { type: 'integer' } } } },
} as const

@Controller('/items')
class ItemsController {
  @Get('/:id', find)
  find({ params }: RouteRequest<typeof find>) {
    return { id: params.id }
  }
}

@Plugin({ routes: [ItemsController] })
export class App {}

export const options: ServerOptions = { caseSensitive: false }
