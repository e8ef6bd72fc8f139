/** The hooks and their signatures. */
import type { Readable } from 'node:stream'
import type { RouteOptions } from './route.js'
import type { Server } from './server.js'

export type Done = (error?: Error | null) => void

type DonePayload<T = unknown> = (error?: Error | null, payload?: T) => void

type RequestHook = (this: Server, request: any, reply: any, done: Done) => unknown

/** The hooks of a request, in the order in which they run, and those of the application (docs/lifecycle.md). */
export interface Hooks {
  /** The route is found; nothing of the body is read. */
  onRequest: RequestHook
  /**
   * May give another stream to read the body from. One that decodes counts the bytes it took in `receivedEncodedLength`, which
   * `bodyLimit` and `content-length` are held against.
   */
  preParsing: (this: Server, request: any, reply: any, payload: Readable, done: DonePayload<Readable>) => unknown
  /** The body is parsed; nothing is validated. */
  preValidation: RequestHook
  /** The request is valid; the handler comes next. */
  preHandler: RequestHook
  /** May give another payload; not for strings, buffers, streams and `null`. */
  preSerialization: (this: Server, request: any, reply: any, payload: any, done: DonePayload) => unknown
  /** May give another payload: a string, a buffer, a stream, or none. */
  onSend: (this: Server, request: any, reply: any, payload: any, done: DonePayload) => unknown
  /** The response is out. */
  onResponse: RequestHook
  /** An error is about to be answered. It may be observed; `reply.send` throws here. */
  onError: (this: Server, request: any, reply: any, error: any, done: () => void) => unknown
  /** The socket was idle for `connectionTimeout`. */
  onTimeout: RequestHook
  /** The client went away while its request was served. */
  onRequestAbort: (this: Server, request: any, done: Done) => unknown
  /** A route was declared in this context or in one created below it later; its options may be changed. Not waited for. */
  onRoute: (this: Server, options: RouteOptions<any> & { routePath: string; path: string; prefix: string }) => void
  /** A child context was created. Not waited for. */
  onRegister: (this: Server, instance: Server, options: any) => void
  /** All plugins are loaded, all routes compiled. */
  onReady: (this: Server, done: Done) => unknown
  /** The port is open. What fails is logged. */
  onListen: (this: Server, done: Done) => unknown
  /** `close` was called; nothing is closed yet. */
  preClose: (this: Server, done: Done) => unknown
  /** Nothing is served any more. Children come before their parents, the last registered first. */
  onClose: (instance: Server, done: Done) => unknown
}

/** The name of a hook: of a request or of the application. */
export type HookName = keyof Hooks

/** The hooks that belong to a request; a route may carry them as options. */
export type LifecycleHookName = Exclude<HookName, 'onRoute' | 'onRegister' | 'onReady' | 'onListen' | 'preClose' | 'onClose'>

export type LifecycleHookOptions = { [N in LifecycleHookName]?: Hooks[N] | Hooks[N][] | undefined }
