/**
 * Types of Fastify for this server: `import 'alcove/fastify-types'`, once in an application that has `fastify` installed for its types.
 *
 * All that plugins declare for Fastify (`declare module 'fastify' { interface FastifyRequest … }`) is then known of servers, requests,
 * replies, and the options and `config` of routes. A Server is a FastifyInstance, a Request a FastifyRequest and a Reply a FastifyReply, so
 * that hooks, handlers and plugins with Fastify's types are accepted.
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

// The types of request parts are those of our own Request.
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

/** The options of routes that Fastify itself declares. The others are those of plugins. */
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
  // Whole interfaces, so that a method of a plugin that returns `this` returns our request or reply.
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
    // Our own `send` says what may be sent.
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
    // In Fastify 4 it never returns undefined.
    getValidationFunction: FastifyRequest['getValidationFunction']
    // What a handler may return instead of our reply, as the result of `reply.view(…)`.
    reply: FastifyReply<any, any, any, any, any, any, any, any>
    // Leaves a route with a socket to the signature that @fastify/websocket declares.
    shorthand: { websocket?: false }
    // Fastify's signatures come first in the result: their types are those of the provider.
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
