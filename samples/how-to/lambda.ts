/** How does an application run in AWS Lambda? The module exports its handler. */
// #region handler
import { Controller, Get, Plugin, type RouteRequest } from 'alcove'
import { handler } from 'alcove/lambda'

const greet = {
  params: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  response: { 200: { type: 'object', required: ['greeting'], properties: { greeting: { type: 'string' } } } },
} as const

@Controller('/greet')
class GreetController {
  @Get('/:name', greet)
  greet({ params }: RouteRequest<typeof greet>) {
    return { greeting: `Hello, ${params.name}` }
  }
}

@Plugin({ routes: [GreetController] })
export class App {}

export const main = handler(App, { server: { logger: true } })
// #endregion
