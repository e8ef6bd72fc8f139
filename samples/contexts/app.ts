/**
 * What does a route see? The reference scenario: four routes in three of its contexts.
 *
 * `answer` is declared in the root, `foo` in the public context, `bar` in the public context's child. The bearer-token plugin
 * is only in the authenticated context.
 */
import bearerAuth from '@fastify/bearer-auth'
import { type Optional, Plugin, requestDecorator, Route, type RouteRequest, shared, use } from 'alcove'

export const Answer = requestDecorator('answer', 42)
export const Foo = requestDecorator('foo', 'foo')
export const Bar = requestDecorator('bar', 'bar')

const seen = {
  response: {
    200: {
      type: 'object',
      properties: { answer: { type: 'integer' }, foo: { type: 'string' }, bar: { type: 'string' } },
    },
  },
} as const

type SeenRequest = RouteRequest<typeof seen, [typeof Answer, Optional<typeof Foo>, Optional<typeof Bar>]>

@Route({ method: 'GET', path: '/one' }, seen)
class GetOne {
  handle({ answer, foo, bar }: SeenRequest) {
    return { answer, foo, bar }
  }
}

@Route({ method: 'GET', path: '/two' }, seen)
class GetTwo {
  handle({ answer, foo, bar }: SeenRequest) {
    return { answer, foo, bar }
  }
}

@Route({ method: 'GET', path: '/three' }, seen)
class GetThree {
  handle({ answer, foo, bar }: SeenRequest) {
    return { answer, foo, bar }
  }
}

const greeting = {
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
  response: { 201: { type: 'object', properties: { greeting: { type: 'string' } } } },
} as const

@Route({ method: 'POST', path: '/greetings', status: 201 }, greeting)
class PostGreeting {
  handle({ body }: RouteRequest<typeof greeting>) {
    return { greeting: `Hello, ${body.name}` }
  }
}

/** What the guard of the plugin function answers, and how clients authenticate: for the description of the routes that it covers. */
const bearer = {
  responses: { 401: { description: 'There is no token, or it is not known', type: 'object', properties: { error: { type: 'string' } } } },
  security: { bearer: { type: 'http', scheme: 'bearer' } },
} as const

// #region tree
@Plugin({ requires: [Answer], imports: [use(bearerAuth, { keys: new Set(['abc123']) }, bearer)], routes: [GetOne] })
class AuthenticatedPlugin {}

@Plugin({ decorateRequest: [Bar], requires: [Answer, Foo], routes: [GetThree] })
class GrandchildPlugin {}

@Plugin({ decorateRequest: [Foo], requires: [Answer], imports: [GrandchildPlugin], routes: [GetTwo, PostGreeting] })
class PublicPlugin {}

@Plugin({ decorateRequest: [Answer], imports: [AuthenticatedPlugin, PublicPlugin] })
export class App {}
// #endregion

/** The same scenario with a shared grandchild: its parent sees `bar` too. */
@Plugin({
  name: 'PublicPlugin',
  decorateRequest: [Foo],
  requires: [Answer],
  imports: [shared(GrandchildPlugin)],
  routes: [GetTwo, PostGreeting],
})
class SharingPublicPlugin {}

@Plugin({ name: 'App', decorateRequest: [Answer], imports: [AuthenticatedPlugin, SharingPublicPlugin] })
export class SharingApp {}

/** For clients, which are typed by them. */
export type { GetOne, GetThree, GetTwo, PostGreeting }
