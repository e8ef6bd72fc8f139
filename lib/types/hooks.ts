/** The hooks of requests and of the application, with their signatures. */
import type { Readable } from 'node:stream'
import type { RouteOptions } from './route.js'
import type { Server } from './server.js'

/**
 * The callback `done` of hooks and plugins: `done()` reports success, `done(error)` a failure. Exported only for the files beside this one.
 */
export type Done = (error?: Error | null) => void

type DonePayload<T = unknown> = (error?: Error | null, payload?: T) => void

type RequestHook = (this: Server, request: any, reply: any, done: Done) => unknown

/**
 * The signatures of all hooks, by name: the hooks of a request in the order in which they run, then the hooks of the application
 * (docs/reference/lifecycle.md).
 */
export interface Hooks {
  /** Runs when the route is found, before the body is read. */
  onRequest: RequestHook
  /**
   * Runs before the body is read, and may return another stream from which the body is then read. A stream that decodes should count the
   * bytes that it has read in `receivedEncodedLength`, which is then compared with `bodyLimit` and `content-length`.
   */
  preParsing: (this: Server, request: any, reply: any, payload: Readable, done: DonePayload<Readable>) => unknown
  /** Runs when the body is parsed, before the request is validated. */
  preValidation: RequestHook
  /** Runs when the request is validated, before the handler is called. */
  preHandler: RequestHook
  /**
   * Runs before the payload is serialized, and may return another payload. Does not run for strings, bytes (a `Buffer`, a typed array),
   * streams, a `Response`, `null`, no payload and the default payload of a thrown error.
   */
  preSerialization: (this: Server, request: any, reply: any, payload: any, done: DonePayload) => unknown
  /**
   * Runs before the payload is sent, and may return another payload: a string, a buffer, a stream, a `Response`, or `null` for none. The
   * status and the headers of a `Response` are set afterwards.
   */
  onSend: (this: Server, request: any, reply: any, payload: any, done: DonePayload) => unknown
  /** Runs after the response was sent. */
  onResponse: RequestHook
  /** Runs before the reply to an error. The hook must not answer: `reply.send` throws here. */
  onError: (this: Server, request: any, reply: any, error: any, done: () => void) => unknown
  /** Runs when a connection of HTTP/1 was without traffic for `connectionTimeout`. */
  onTimeout: RequestHook
  /** Runs in place of `onResponse` if the client leaves before the end of the response, or if the response breaks off. */
  onRequestAbort: (this: Server, request: any, done: Done) => unknown
  /**
   * Runs when a route is declared in this context, or in a context that is created below it after the hook was added. The hook may change
   * the options of the route. The result of the hook is not awaited.
   */
  onRoute: (this: Server, options: RouteOptions<any> & { routePath: string; path: string; prefix: string }) => void
  /** Runs when a child context is created. The result of the hook is not awaited. */
  onRegister: (this: Server, instance: Server, options: any) => void
  /** Runs when all plugins are loaded and all routes are compiled. */
  onReady: (this: Server, done: Done) => unknown
  /** Runs when the port is open. Failures of the hook are logged. */
  onListen: (this: Server, done: Done) => unknown
  /** Runs when `close` is called, before anything is closed. */
  preClose: (this: Server, done: Done) => unknown
  /**
   * Runs when no more requests are served. The hooks of children run before the hooks of their parents, and the hooks of the last
   * registered child first. A resource in place of a function is disposed of, with its `Symbol.asyncDispose` if it has one, otherwise with
   * `Symbol.dispose`.
   */
  onClose: ((this: Server, instance: Server, done: Done) => unknown) | AsyncDisposable | Disposable
}

/** The name of a hook of requests or of the application. */
export type HookName = keyof Hooks

/** The names of the hooks of a request. A route may have such hooks as options. */
export type LifecycleHookName = Exclude<HookName, 'onRoute' | 'onRegister' | 'onReady' | 'onListen' | 'preClose' | 'onClose'>

/** The hooks of a request as options: for each, one function or several. Exported only for the files beside this one. */
export type LifecycleHookOptions = { [N in LifecycleHookName]?: Hooks[N] | Hooks[N][] | undefined }
