/**
 * Types of Fastify for this server: `import 'alcove/fastify-types'`, once in an application that has `fastify` installed for its types.
 *
 * The types of servers, requests, replies, and of the options and `config` of routes then have everything that plugins declare for Fastify
 * (`declare module 'fastify' { interface FastifyRequest … }`). A Server is a FastifyInstance, a Request a FastifyRequest and a Reply a
 * FastifyReply, so that hooks, handlers and plugins with Fastify's types are accepted.
 */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type {
  FastifyBaseLogger,
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  FastifyTypeProvider,
  FastifyTypeProviderDefault,
  RouteGenericInterface,
  RouteOptions,
} from 'fastify'
import type { Server } from '../dist/lib/types/server.js'

// The parts of requests have the types of alcove's Request, so Fastify's interfaces must not give them others.
interface AnyRoute extends RouteGenericInterface {
  Body: any
  Querystring: any
  Params: any
  Headers: any
  Reply: any
}
interface AnyParts {
  params: any
  query: any
  headers: any
  body: any
}

/** The names of the route options that Fastify itself declares. Plugins declare all other options. */
type CoreRouteOptions =
  | 'attachValidation'
  | 'bodyLimit'
  | 'childLoggerFactory'
  | 'config'
  | 'constraints'
  | 'errorHandler'
  | 'exposeHeadRoute'
  | 'handler'
  | 'handlerTimeout'
  | 'logLevel'
  | 'logSerializers'
  | 'method'
  | 'onError'
  | 'onRequest'
  | 'onRequestAbort'
  | 'onResponse'
  | 'onSend'
  | 'onTimeout'
  | 'preHandler'
  | 'preParsing'
  | 'prefixTrailingSlash'
  | 'preSerialization'
  | 'preValidation'
  | 'schema'
  | 'schemaErrorFormatter'
  | 'serializerCompiler'
  | 'url'
  | 'validatorCompiler'
  // Fastify 4
  | 'prefix'
  | 'version'

declare module '../dist/lib/types/decorations.js' {
  interface ServerDecorations extends FastifyInstance {}
  // Whole interfaces are extended, so that a method of a plugin that returns `this` returns alcove's request or reply.
  interface RequestDecorations extends FastifyRequest<
    AnyRoute,
    HttpServer,
    IncomingMessage,
    FastifySchema,
    FastifyTypeProviderDefault,
    unknown,
    FastifyBaseLogger,
    AnyParts
  > {}
  interface ReplyDecorations extends FastifyReply<
    AnyRoute,
    HttpServer,
    IncomingMessage,
    ServerResponse,
    unknown,
    FastifySchema,
    FastifyTypeProviderDefault,
    // The `send` of alcove's Reply says what may be sent.
    never
  > {
    then(onSent: (value: undefined) => void, onError: (error: Error) => void): void
  }
  interface PluginRouteOptions extends Omit<RouteOptions, CoreRouteOptions> {}
}

declare module '../dist/lib/types/narrowed.js' {
  interface NarrowedTypes {
    log: FastifyBaseLogger
    protocol: 'http' | 'https'
    config: FastifyContextConfig & { [key: string]: any }
    routeOptions: FastifyRequest['routeOptions']
    validateInput: FastifyRequest['validateInput']
    // In Fastify 4 this method never returns undefined.
    getValidationFunction: FastifyRequest['getValidationFunction']
    // A handler may return this reply instead of alcove's, as the result of `reply.view(…)`.
    reply: FastifyReply<any, any, any, any, any, any, any, any>
    // Leaves a route with a socket to the signature that @fastify/websocket declares.
    shorthand: { websocket?: false }
    // Fastify's signatures come first in the result, because they have the types of the provider.
    withTypeProvider: <Provider extends FastifyTypeProvider>() => FastifyInstance<
      HttpServer,
      IncomingMessage,
      ServerResponse,
      FastifyBaseLogger,
      Provider
    > &
      Server
  }
}
