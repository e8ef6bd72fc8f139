/** Decorators that are called as functions, as classes that run without a compiler do: they are typed as the decorated form. */
import {
  Config,
  Controller,
  Get,
  Hook,
  Injectable,
  Job,
  metadataDecorator,
  Plugin,
  Post,
  requestDecorator,
  Route,
  type RouteRequest,
  Schema,
  Without,
} from 'alcove'

const two = {
  querystring: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
  response: { 200: { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } } },
} as const
const User = requestDecorator('user', { id: '' })
const Cron = metadataDecorator<string>('Cron')
class Clock {
  readonly now = 1
}

export class GetTwo {
  static {
    Route({ method: 'GET', path: '/two' }, two)(Hook('onRequest', () => {})(Config({ a: 1 })(Cron('x')(Injectable()(this)))))
  }
  static readonly inject = [Clock] as const
  readonly clock: Clock
  constructor(clock: Clock) {
    this.clock = clock
  }
  handle({ query }: RouteRequest<typeof two>) {
    return { a: query.n + this.clock.now }
  }
}

export class CleanUp {
  static {
    Injectable()(Job({ every: 1_000 })(this))
  }
  run() {}
}

// The result is the class that was given.
export const Wrapped = Route({ method: 'GET', path: '/wrapped' })(
  Schema(two)(
    class Wrapped {
      readonly own = 1
      handle({ query }: RouteRequest<typeof two>) {
        return { a: query.n }
      }
    },
  ),
)
export const own: number = new Wrapped().own

export class WrongResult {
  static {
    // @ts-expect-error the handler returns a text
    Route({ method: 'GET', path: '/two' }, two)(this)
    // @ts-expect-error the same, below another decorator
    Schema(two)(Config({ a: 1 })(this))
  }
  handle({ query }: RouteRequest<typeof two>) {
    return { a: String(query.n) }
  }
}

export class Methods {
  static {
    Controller('/methods')(this)
    Get('/good', two)(this.prototype, 'good')
    Schema(two)(this.prototype, 'good')
    Hook('onRequest', () => {})(this.prototype, 'good')
    Post()(this.prototype, 'good')
    Without(User)(this.prototype, 'good')
    Cron('* * * * *')(this.prototype, 'good')
    // @ts-expect-error the handler returns a text
    Get('/bad', two)(this.prototype, 'bad')
    // @ts-expect-error the handler returns a text
    Schema(two)(this.prototype, 'bad')
    // @ts-expect-error it reads the decorator
    Without(User)(this.prototype, 'reads')
    // @ts-expect-error the class has no such method
    Get('/good', two)(this.prototype, 'goood')
    // @ts-expect-error the class has no such method
    Schema(two)(this.prototype, 'goood')
    // @ts-expect-error the class has no such method
    Without(User)(this.prototype, 'goood')
    // @ts-expect-error the prototype is needed
    Get('/good', two)(this, 'good')
    // @ts-expect-error it is not a method
    Get('/field')(this.prototype, 'field')
  }
  readonly field = 1
  good({ query }: RouteRequest<typeof two>) {
    return { a: query.n }
  }
  bad({ query }: RouteRequest<typeof two>) {
    return { a: String(query.n) }
  }
  reads({ user }: RouteRequest<unknown, [typeof User]>) {
    return user.id
  }
}

export class WrongInject {
  static readonly inject = [Clock] as const
  static {
    Route({ method: 'GET', path: '/' })(this)
  }
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  handle() {
    return this.text
  }
}

export class App {
  static {
    Plugin({ routes: [GetTwo, Wrapped, Methods], decorateRequest: [User] })(this)
    Hook('onReady')(this.prototype, 'ready')
    // @ts-expect-error the class has no such method
    Hook('onReady')(this.prototype, 'redy')
    // @ts-expect-error no option has this name
    Plugin({ routes: [GetTwo], provders: [] })(this)
    // @ts-expect-error a route reads a request decorator that the plugin neither adds nor requires
    Plugin({ routes: [Methods] })(this)
    // @ts-expect-error static inject does not fit the constructor
    Plugin({ routes: [WrongInject] })(this)
  }
  ready() {}
}
