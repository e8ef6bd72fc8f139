import { Plugin, Route, type RouteRequest } from 'alcove'

export class Greeter {
  greet(name: string): string {
    return `Hello, ${name}`
  }
}

const greet = {
  params: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } },
  response: { 200: { type: 'object', properties: { greeting: { type: 'string' } } } },
} as const

@Route({ method: 'GET', path: '/greet/:name' }, greet)
export class Greet {
  constructor(private readonly greeter: Greeter) {}

  handle({ params }: RouteRequest<typeof greet>) {
    return { greeting: this.greeter.greet(params.name) }
  }
}

@Plugin({ providers: [Greeter], routes: [Greet] })
export class App {}
