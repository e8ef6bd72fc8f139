/** Loggers, and the factory of the logger that each request gets. */
import type { IncomingMessage } from 'node:http'
import type { Reply } from './reply.js'
import type { Request, RequestOutcome } from './request.js'
import type { Server } from './server.js'

/** A logger of pino, or one with the same methods. */
export interface Logger {
  level?: string
  trace: LogFunction
  debug: LogFunction
  info: LogFunction
  warn: LogFunction
  error: LogFunction
  fatal: LogFunction
  silent?: LogFunction
  /** Returns a logger whose lines also contain `bindings`; `options` are `{ level, serializers }`. */
  child(bindings: object, options?: object): Logger
}

/**
 * Writes a line to the log: `log.info('text')` or `log.info({ key: value }, 'text')`. Further arguments replace `%s`, `%d` and `%o` in the
 * text.
 */
export interface LogFunction {
  (message: string, ...args: unknown[]): void
  (values: unknown, message?: string, ...args: unknown[]): void
}

/**
 * Makes `request.log` from the server's logger, the bindings (the request id under `requestIdLogLabel`) and the options of the
 * route (`level`, `serializers`). Synchronous. If the result lacks methods of pino, the reply is a 500, and
 * ALC_ERR_LOG_INVALID_LOGGER is logged.
 */
export type ChildLoggerFactory = (
  this: Server,
  logger: Logger,
  bindings: Record<string, unknown>,
  options: object,
  raw: IncomingMessage,
) => Logger

/** The methods that write the lines which the server itself logs about requests. {@link LogController} implements them. */
export interface LogLines {
  /** The key of the request id in log lines. */
  readonly requestIdLogLabel: string
  incomingRequest(request: Request, reply: Reply): void
  requestCompleted(error: unknown, request: Request, reply: Reply): void
  requestAborted(request: Request, reply: Reply): void
  defaultErrorLog(error: any, request: Request, reply: Reply): void
  streamError(error: any, request: Request, reply: Reply): void
  routeNotFound(request: Request, reply: Reply): void
  writeHeadError(error: any, request: Request, reply: Reply): void
  serializerError(error: any, request: Request, reply: Reply, metadata: { statusCode: number }): void
  serviceUnavailable(logger: Logger, server: Server): void
}

/** A part of a request, or of other work, that an {@link Observer} hears of. */
export interface ObservedStep {
  readonly kind: 'hook' | 'handler' | 'body' | 'validation' | 'serialization' | 'provider'
  /** The hook class with its method, the handler or the provider: `Guard.onRequest`, `App > Users.find`. Absent for other kinds. */
  readonly name?: string
  /** The name of the hook: `onRequest`. */
  readonly hook?: string
  /** The path of the context that declares the hook; `route` if the route does. */
  readonly from?: string
}

/** A step that has begun. */
export interface StepInProgress {
  /** Calls a function as a part of the step. */
  inside<T>(call: () => T): T
  /** Calls a function that comes after the step, as a part of the request. */
  outside<T>(call: () => T): T
  /** Notes the end of the step, with the error if it has failed. Later calls have no effect. */
  end(error?: unknown): void
}

/**
 * Observes what a server does: the option `telemetry`. `openTelemetry()` of `alcove/telemetry` makes one. Without an observer a server
 * measures nothing, and its routes are compiled as if there were none.
 */
export interface Observer {
  /** Notes a request that has begun, and calls the rest of it. */
  enter(request: Request<any, any, any, any>, proceed: () => void): void
  /** Notes a part that begins. @param request `undefined` if it is a part of the work that is no request, and that is being done */
  begin(step: ObservedStep, request: Request<any, any, any, any> | undefined): StepInProgress
  /** Notes the end of a request: its response is sent, or its client has left. */
  leave(request: Request<any, any, any, any>, reply: Reply<any, any>, outcome: RequestOutcome): void
  /** Notes work that is no request, and calls it. @param name of the work: `run` of a server, or a job */
  work<T>(name: string, call: () => Promise<T>): Promise<T>
  /**
   * Returns the trace of the code that runs, as texts by name, for a job that is done later, perhaps by another process. `undefined` if there
   * is none.
   */
  carry?(): Readonly<Record<string, string>> | undefined
  /** Calls code that belongs to a trace which `carry` has returned, in this process or in another one. */
  resume?<T>(trace: Readonly<Record<string, string>>, call: () => T): T
  /** Notes that an application begins to boot. @param name of the application */
  boot?(name: string): ObservedBoot
  /**
   * Takes the figures of an application that is ready. They are counted when the observer reads them.
   * @returns a function that is called when the application closes
   */
  watch?(figures: ObservedFigures): () => void
}

/** A boot that has begun. */
export interface ObservedBoot {
  /** Notes a provider that begins to be made. @returns a function to call at its end, with the error if it has failed */
  construct(name: string): (error?: unknown) => void
  /** Notes the end of the boot, with the error if it has failed. */
  end(error?: unknown): void
}

/** The figures of an application at the moment when they are read. */
export interface ObservedFigures {
  /** The number of scopes of requests, and of work that is no request, which are open. */
  openScopes(): number
  /** Counts the jobs of each queue whose store can count. A store that fails is left out. */
  queues(): Promise<readonly ObservedQueue[]>
}

/** The jobs of a queue, of all processes. */
export interface ObservedQueue {
  readonly name: string
  /** The number of jobs that wait, also for their time or for another attempt. */
  readonly waiting: number
  /** The number of jobs that are being done. */
  readonly active: number
}
