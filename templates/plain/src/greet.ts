import { Route, type RouteRequest } from 'alcove'

export class Greeter {
  greet(name: string): string {
    return `Hello, ${name}`
  }
}

const greet = {
  params: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  querystring: { type: 'object', properties: { shout: { type: 'boolean', default: false } } },
  response: { 200: { type: 'object', required: ['greeting'], properties: { greeting: { type: 'string' } } } },
} as const

export class Greet {
  static {
    Route({ method: 'GET', path: '/greet/:name' }, greet)(this)
  }

  static readonly inject = [Greeter] as const
  readonly #greeter: Greeter

  constructor(greeter: Greeter) {
    this.#greeter = greeter
  }

  handle({ params, query }: RouteRequest<typeof greet>) {
    const greeting = this.#greeter.greet(params.name)
    return { greeting: query.shout ? greeting.toUpperCase() : greeting }
  }
}
