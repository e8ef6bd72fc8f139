/** The hooks of requests and of the application, with their signatures. */
import type { Readable } from 'node:stream'
import type { RouteOptions } from './route.js'
import type { Server } from './server.js'

/** The callback of hooks and plugins: `done()` reports success, `done(error)` a failure. Exported only for the files beside this one. */
export type Done = (error?: Error | null) => void

type DonePayload<T = unknown> = (error?: Error | null, payload?: T) => void

type RequestHook = (this: Server, request: any, reply: any, done: Done) => unknown

/** The hooks of a request, in the order in which they run, and those of the application (docs/reference/lifecycle.md). */
export interface Hooks {
  /** The route is found, and the body is not read yet. */
  onRequest: RequestHook
  /**
   * May return another stream to read the body from. A stream that decodes should count the bytes that it has read in
   * `receivedEncodedLength`, which is then compared with `bodyLimit` and `content-length`.
   */
  preParsing: (this: Server, request: any, reply: any, payload: Readable, done: DonePayload<Readable>) => unknown
  /** The body is parsed, and the request is not validated yet. */
  preValidation: RequestHook
  /** The request is valid, and the handler is called next. */
  preHandler: RequestHook
  /** May return another payload. Does not run for strings, buffers, streams and `null`. */
  preSerialization: (this: Server, request: any, reply: any, payload: any, done: DonePayload) => unknown
  /** May return another payload: a string, a buffer, a stream, or none. */
  onSend: (this: Server, request: any, reply: any, payload: any, done: DonePayload) => unknown
  /** The response was sent. */
  onResponse: RequestHook
  /** An error is about to be answered. The hook can only observe it: `reply.send` throws here. */
  onError: (this: Server, request: any, reply: any, error: any, done: () => void) => unknown
  /** The socket was idle for `connectionTimeout`. */
  onTimeout: RequestHook
  /** The client disconnected while its request was being served. */
  onRequestAbort: (this: Server, request: any, done: Done) => unknown
  /** A route was declared in this context, or in one created below it later. The hook may change its options. It is not awaited. */
  onRoute: (this: Server, options: RouteOptions<any> & { routePath: string; path: string; prefix: string }) => void
  /** A child context was created. The hook is not awaited. */
  onRegister: (this: Server, instance: Server, options: any) => void
  /** All plugins are loaded and all routes are compiled. */
  onReady: (this: Server, done: Done) => unknown
  /** The port is open. Failures of the hook are logged. */
  onListen: (this: Server, done: Done) => unknown
  /** `close` was called, and nothing is closed yet. */
  preClose: (this: Server, done: Done) => unknown
  /**
   * No more requests are served. Children close before their parents, the last registered first. A resource is disposed of, with its
   * `Symbol.asyncDispose` if it has one, otherwise with `Symbol.dispose`.
   */
  onClose: ((this: Server, instance: Server, done: Done) => unknown) | AsyncDisposable | Disposable
}

/** The name of a hook, of a request or of the application. */
export type HookName = keyof Hooks

/** The names of the hooks of a request. A route may have such hooks as options. */
export type LifecycleHookName = Exclude<HookName, 'onRoute' | 'onRegister' | 'onReady' | 'onListen' | 'preClose' | 'onClose'>

/** The hooks of a request as options, one function or several for each. Exported only for the files beside this one. */
export type LifecycleHookOptions = { [N in LifecycleHookName]?: Hooks[N] | Hooks[N][] | undefined }
