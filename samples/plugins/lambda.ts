/** How does an application run in AWS Lambda? By an adapter that calls it without a port. */
// #region handler
import awsLambda from '@fastify/aws-lambda'
import { bootstrap, Controller, Get, Plugin, type RouteRequest } from 'alcove'

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

const server = await bootstrap(App, { logger: true })
await server.ready() // when the function starts, before its first request

// A booted server takes no more decorators, so the adapter adds none.
export const handler = awsLambda(server, { decorateRequest: false })
// #endregion
