/** What `alcove/client` exports: typed calls of a server's routes, for browsers and other services. */
export { type ClassRoutes, client } from './client.js'
export type { Client, ErrorPayload, ErrorReply, SuccessReply } from './method-types.js'
export {
  type Call,
  type CallOptions,
  type ClientOptions,
  type ErrorStatus,
  type EventStream,
  type HttpReply,
  type Interceptor,
  type OtherReply,
  ReplyError,
  type RouteEntry,
  type SuccessStatus,
} from './runtime.js'
