/** The scenario of app.ts without classes: the same contexts, the same replies. */
import bearerAuth from '@fastify/bearer-auth'
import { createServer, type Server } from 'alcove'
import fastifyPlugin from 'fastify-plugin'

const seen = {
  response: {
    200: {
      type: 'object',
      properties: { answer: { type: 'integer' }, foo: { type: 'string' }, bar: { type: 'string' } },
    },
  },
} as const

// The context of a route decides which members its requests have, so each member is optional in the type.
declare module 'alcove' {
  interface RequestDecorations {
    answer?: number
    foo?: string
    bar?: string
  }
}

/** @param isShared whether the grandchild is wrapped, so that its parent sees what it declares */
export function createProgrammatic(isShared = false): Server {
  const server = createServer({ name: 'App' })
  server.decorateRequest('answer', 42)

  server.register(async function authenticatedPlugin(instance: Server) {
    await instance.register(bearerAuth, { keys: new Set(['abc123']) })
    instance.get('/one', { schema: seen }, ({ answer, foo, bar }) => ({ answer, foo, bar }))
  })

  server.register(async function publicPlugin(instance: Server) {
    instance.decorateRequest('foo', 'foo')
    instance.get('/two', { schema: seen }, ({ answer, foo, bar }) => ({ answer, foo, bar }))
    instance.post(
      '/greetings',
      {
        schema: {
          body: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
          response: { 201: { type: 'object', properties: { greeting: { type: 'string' } } } },
        },
      },
      ({ body }, reply) => reply.code(201).send({ greeting: `Hello, ${body.name}` }),
    )
    instance.register(isShared ? fastifyPlugin(grandchildPlugin) : grandchildPlugin)
  })

  return server
}

async function grandchildPlugin(instance: Server): Promise<void> {
  instance.decorateRequest('bar', 'bar')
  instance.get('/three', { schema: seen }, ({ answer, foo, bar }) => ({ answer, foo, bar }))
}
