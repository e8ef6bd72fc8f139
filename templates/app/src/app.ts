import { Plugin, Route, type RouteRequest } from 'alcove'
import { docsPage } from 'alcove/contract'

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

@Route({ method: 'GET', path: '/greet/:name' }, greet)
export class Greet {
  constructor(private readonly greeter: Greeter) {}

  handle({ params, query }: RouteRequest<typeof greet>) {
    const greeting = this.greeter.greet(params.name)
    return { greeting: query.shout ? greeting.toUpperCase() : greeting }
  }
}

@Plugin({
  imports: [docsPage({ info: { title: '{{name}}', version: '0.1.0' } })], // the page at /docs
  providers: [Greeter],
  routes: [Greet],
})
export class App {}
