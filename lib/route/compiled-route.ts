/** A compiled route: one frozen plain object that `ready` makes, with everything that serving a request takes. */
import type { ServerResponse } from 'node:http'
import type { BodyReadings } from '../context/context-methods.js'
import type { BodyParsers } from '../context/body-parsers.js'
import type { Context, ErrorHandlerLink } from '../context/context.js'
import type { Conventions } from '../context/conventions.js'
import type { DeclaredRoute } from '../context/declared-route.js'
import type { DeprecationHeaders } from '../context/deprecation.js'
import type { HookFunction } from '../context/hooks.js'
import type { Deadlines } from '../http/deadline.js'
import type { ErrorFormat } from '../http/error-payload.js'
import type { ResponseSerializers } from '../schema/serialize-response.js'
import type { PartValidator } from '../schema/validate-request.js'
import type {
  ReplySerializer,
  SchemaErrorFormatter,
  SerializeFunction,
  SerializerCompiler,
  ValidateFunction,
  ValidatorCompiler,
} from '../types/compilers.js'
import type { LifecycleHookName } from '../types/hooks.js'
import type { ChildLoggerFactory, LogLines } from '../types/logger.js'
import type { RouteInfo } from '../types/request.js'
import type { Server } from '../types/server.js'
import type { CoversBody } from './body-coverage.js'
import type { ThrownErrors } from './thrown-errors.js'

/** An observer of the replies of a server under test. */
export interface ReplyWatcher {
  /**
   * Notes a fault of a reply. Called if a route answers with an error that it does not describe, for example of a class that it does not
   * list.
   */
  noteFault(response: ServerResponse, fault: Error): void
  /** Makes a hook for a route, which runs after all onSend hooks of the route. */
  createHook(context: Context, route: DeclaredRoute): HookFunction
}

/** The hooks of a route by name; `null` if there are none, so that a request skips the stage. */
export type CompiledHooks = Readonly<Record<LifecycleHookName, readonly HookFunction[] | null>>

/** The rule by which a route reads bodies: the parsers, the methods whose bodies are read, the most bytes, and the media types. */
export interface BodyRule {
  readonly parsers: BodyParsers
  readonly readings: BodyReadings
  /** The most bytes that a body may have; `undefined`: the limit of the parser applies. */
  readonly limit: number | undefined
  /** Whether the body schema covers a body. Other bodies are refused with 415. `undefined`: there is no body schema. */
  readonly covers: CoversBody | undefined
}

/**
 * A function that does one stage of the work for a request, and begins the next stage when it is done. Its argument is an `Exchange`, a
 * type of `lifecycle/`, which this folder must not import.
 */
export type Stage = (exchange: any) => void

/** The fields of a compiled route that decide which stages it has. */
export type StageFields = Pick<
  CompiledRoute,
  'info' | 'instance' | 'enterRequest' | 'deprecation' | 'body' | 'onRequest' | 'preParsing' | 'preValidation' | 'validators' | 'preHandler'
>

export interface CompiledRoute extends CompiledHooks {
  /** The instance of the context that the route was declared in. */
  readonly instance: Server
  /** The path of the route; `undefined` for a route that answers if no route was found. */
  readonly url: string | undefined
  readonly info: RouteInfo
  /** The handler of the route, bound to the instance. */
  readonly handler: (request: any, reply: any) => unknown
  /** Whether the framework ends a reply that the handler has returned without sending it, if the status of the reply allows no body. */
  readonly endsReturnedReply: boolean
  /** Whether a reply without a body is sent if the handler returns `undefined`. */
  readonly answersUndefined: boolean
  /** Whether the route is a HEAD route that was made beside a GET route: it answers as the GET route would, without the body. */
  readonly isImplicitHead: boolean
  /** The classes of requests and replies of the context. The classes may be replaced until the server is ready. */
  readonly classes: Context['classes']
  /** The stages that a request passes through, in this order. */
  readonly stages: readonly Stage[]
  /** The function through which each request goes first, before any hook; `null` if the context has none. */
  readonly enterRequest: ((request: any, goOn: () => void) => void) | null
  /** The conditions beside method and path that a request must meet, such as a host, as a text. */
  readonly constraints: string
  /** The headers that say in each reply that the route is deprecated; `null` if it is not. */
  readonly deprecation: DeprecationHeaders | null

  readonly body: BodyRule
  readonly validators: readonly PartValidator[] | null
  readonly attachValidation: boolean
  readonly schemaErrorFormatter: SchemaErrorFormatter
  readonly serializers: ResponseSerializers | null
  /** The serializers of the route, if any of its responses is a stream; otherwise `null`. */
  readonly streams: ResponseSerializers | null
  /** The serializers of the route, if any of its responses consists of bytes; otherwise `null`. */
  readonly bytes: ResponseSerializers | null
  readonly thrownErrors: ThrownErrors
  readonly replySerializer: ReplySerializer | undefined
  readonly errorHandler: ErrorHandlerLink
  readonly errorFormat: ErrorFormat
  /** The not-found handler of the context; `null` if this route is a not-found handler itself. */
  readonly notFound: CompiledRoute | null

  /** The queue of the requests that wait for their replies; `null` if they may wait for ever. */
  readonly deadlines: Deadlines | null
  /** Milliseconds in which the headers of a reply must be sent; 0 means that there is no limit. */
  readonly handlerTimeout: number
  /**
   * The state of the server. `draining`: each connection is closed after its reply. `pendingRequests`: requests with unfinished hooks,
   * handlers or sources. `withSignal`: open requests whose signal was read. `replyWatcher`: the test that watches the replies, if the
   * server is under test. `isIncomplete`: whether closing has not waited for the end of something.
   */
  readonly state: {
    readonly draining: boolean
    readonly pendingRequests: { add(request: object): void; remove(request: object): void }
    readonly withSignal: Set<object>
    readonly replyWatcher: ReplyWatcher | undefined
    isIncomplete: boolean
  }
  readonly genReqId: (raw: any) => string
  readonly childLoggerFactory: ChildLoggerFactory
  readonly loggerOptions: { level?: string; serializers?: object }
  readonly logs: LogLines
  /**
   * Whether functions of the application, a logger or an observer run in later events of a request, so that the async context of the
   * request is kept for them.
   */
  readonly keepsAsyncContext: boolean
  /** Whether functions of the application, or an observer, run before the body is read. */
  readonly runsBeforeBody: boolean
  /** Whether clients are shown the messages of errors with a status from 500 on. */
  readonly exposesErrors: boolean
  readonly conventions: Conventions

  /** Returns the compiler of validators, for schemas that handlers compile themselves. */
  readonly validatorCompiler: () => ValidatorCompiler
  readonly serializerCompiler: () => SerializerCompiler
  readonly compiledInputs: WeakMap<object, ValidateFunction>
  readonly compiledOutputs: WeakMap<object, SerializeFunction>
}

/**
 * Returns the not-found handler for requests of a route that call `callNotFound`: it has the route's format of errors, and the route's
 * hooks for the reply and the end of a request.
 */
export function withNotFoundHandler(route: CompiledRoute, notFound: CompiledRoute): CompiledRoute {
  const { errorFormat, onSend, onResponse, onRequestAbort, onTimeout } = route
  return { ...notFound, errorFormat, onSend, onResponse, onRequestAbort, onTimeout }
}
