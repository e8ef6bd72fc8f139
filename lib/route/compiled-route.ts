/**
 * What a route becomes at `ready`: one frozen plain object with everything that serving it takes. Requests only read it.
 */
import type { ErrorHandlerLink } from '../context/context.js'
import type { BodyParsers } from '../context/body-parsers.js'
import type { Deadlines } from '../http/deadline.js'
import type {
  ReplySerializer,
  SchemaErrorFormatter,
  SerializeFunction,
  SerializerCompiler,
  ValidateFunction,
  ValidatorCompiler,
} from '../types/compilers.js'
import type { ChildLoggerFactory } from '../types/logger.js'
import type { Reply } from '../types/reply.js'
import type { Request, RouteConfig, RouteInfo } from '../types/request.js'
import type { RouteHandler } from '../types/route.js'
import type { Server } from '../types/server.js'
import type { RouteSchema } from '../types/schema.js'
import type { ResponseSerializers } from '../schema/serialize-response.js'
import type { PartValidator } from '../schema/validate-request.js'

type HookFunction = (...args: any[]) => any
/** `null` where there are none: the pipeline then skips the stage. */
type CompiledHooks = readonly HookFunction[] | null

/** Where a request's body may come from, and what it may be. */
export interface BodyRule {
  readonly parsers: BodyParsers
  /** bytes; the route's own limit, else that of the parser */
  readonly limit: number | undefined
  /** Whether the body schema covers a media type; others are refused with 415. `undefined`: there is no body schema. */
  readonly covers: ((essence: string | undefined) => boolean) | undefined
}

export interface CompiledRoute {
  /** The instance of the context that the route was declared in. */
  readonly instance: Server
  readonly method: string | string[] | undefined
  /** `undefined` in routes that stand in where none was found. */
  readonly url: string | undefined
  readonly config: RouteConfig
  readonly schema: RouteSchema | undefined
  readonly info: RouteInfo
  readonly handler: RouteHandler<any>
  /** Made beside a GET route: it answers as that one would, without the body. */
  readonly isHeadTwin: boolean
  /** Makes the request and the reply of this context. */
  readonly RequestClass: new (
    id: string,
    params: unknown,
    raw: unknown,
    query: unknown,
    log: unknown,
    route: CompiledRoute,
  ) => Request<any, any, any, any>
  readonly ReplyClass: new (raw: unknown, request: unknown, log: unknown) => Reply<any, any>

  readonly onRequest: CompiledHooks
  readonly preParsing: CompiledHooks
  readonly preValidation: CompiledHooks
  readonly preHandler: CompiledHooks
  readonly preSerialization: CompiledHooks
  readonly onSend: CompiledHooks
  readonly onResponse: CompiledHooks
  readonly onError: CompiledHooks
  readonly onTimeout: CompiledHooks
  readonly onRequestAbort: CompiledHooks

  readonly body: BodyRule
  readonly validators: readonly PartValidator[] | null
  readonly attachValidation: boolean
  readonly schemaErrorFormatter: SchemaErrorFormatter
  readonly serializers: ResponseSerializers | null
  readonly replySerializer: ReplySerializer | undefined
  readonly errorHandler: ErrorHandlerLink
  /** Runs the not-found handler of the context; `null` in a not-found handler itself. */
  readonly notFound: CompiledRoute | null

  /** The queue in which its requests wait for their replies; `null` where they may take for ever. */
  readonly deadlines: Deadlines | null
  /** ms */
  readonly handlerTimeout: number
  /** Of the server: whether its connections are to be closed after their replies. */
  readonly state: { readonly draining: boolean }
  readonly genReqId: (raw: any) => string
  readonly childLoggerFactory: ChildLoggerFactory
  readonly loggerOptions: { level?: string; serializers?: object }
  readonly requestIdLogLabel: string
  readonly isLogging: boolean
  /** Show the messages of 5xx errors. */
  readonly exposesErrors: boolean

  /** For schemas that handlers compile themselves. */
  readonly validatorCompiler: () => ValidatorCompiler
  readonly serializerCompiler: () => SerializerCompiler
  readonly compiledInputs: WeakMap<object, ValidateFunction>
  readonly compiledOutputs: WeakMap<object, SerializeFunction>

  /** The steps that lie above requests and replies in the layering, handed down to them. */
  readonly respond: (reply: Reply<any, any>, payload: unknown) => void
  readonly callNotFound: (reply: Reply<any, any>) => void
}
