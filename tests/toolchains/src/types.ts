/** Compiled, never run: what the decorators refuse, refused by legacy and by standard calls alike. */
import { Controller, Get, Hook, Plugin, requestDecorator, Route, type RouteRequest, Schema } from 'alcove'

const Foo = requestDecorator('foo', 'foo')
const number = { response: { 200: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } } } } as const
const byId = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } } as const

@Controller()
export class Refused {
  // @ts-expect-error the schema says n is a number
  @Schema(number)
  @Get('/a')
  text() {
    return { n: 'one' }
  }

  // @ts-expect-error the schema says id is a number
  @Schema(byId)
  @Get('/b')
  find(_request: RouteRequest<{ params: { type: 'object'; required: ['id']; properties: { id: { type: 'string' } } } }>) {}

  @Get('/c', number)
  async fits() {
    return { n: 1 }
  }
}

@Route({ method: 'GET', path: '/' })
// @ts-expect-error the schema says n is a number
@Schema(number)
export class RefusedRoute {
  handle() {
    return { n: 'one' }
  }
}

// @ts-expect-error a route has a method `handle`
@Route({ method: 'GET', path: '/' })
export class NoHandle {}

@Route({ method: 'GET', path: '/' })
class ReadsFoo {
  handle({ foo }: RouteRequest<unknown, [typeof Foo]>) {
    return { foo }
  }
}

// @ts-expect-error foo is neither added nor required
@Plugin({ routes: [ReadsFoo] })
export class RefusedPlugin {}

@Plugin({ requires: [Foo], routes: [ReadsFoo] })
export class FittingPlugin {
  @Hook('onRequest')
  async fits() {}

  // @ts-expect-error there is no such hook
  @Hook('onRequests')
  async unknown() {}
}
