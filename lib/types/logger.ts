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

/** A step of a request, or of other work, that an {@link Observer} is told about. */
export interface ObservedStep {
  readonly kind: 'hook' | 'handler' | 'body' | 'validation' | 'serialization' | 'provider'
  /**
   * The hook class with its method, the handler or the provider: `Guard.onRequest`, `App > Users.find`. Absent for the kinds `body`,
   * `validation` and `serialization`.
   */
  readonly name?: string
  /** The name of the hook: `onRequest`. */
  readonly hook?: string
  /** The path of the context that declares the hook; `route` if the hook is an option of the route. */
  readonly from?: string
}

/** A step that has begun. */
export interface StepInProgress {
  /** Calls a function inside of the step: steps that begin in it are sub-steps. */
  inside<T>(call: () => T): T
  /** Calls a function that runs after the step, outside of it: steps that begin in it belong to the request. */
  outside<T>(call: () => T): T
  /** Reports the end of the step, with the error if the step has failed. Later calls have no effect. */
  end(error?: unknown): void
}

/**
 * An observer of the work of a server, for the option `telemetry`. `openTelemetry()` of `alcove/telemetry` makes one. Without an observer a
 * server measures nothing, and its routes are compiled as if there were none.
 */
export interface Observer {
  /** Is called when a request begins. Calls `proceed`, which runs the rest of the request. */
  enter(request: Request<any, any, any, any>, proceed: () => void): void
  /** Is called when a step begins. @param request `undefined` if the step belongs to work that is not a request (see {@link work}) */
  begin(step: ObservedStep, request: Request<any, any, any, any> | undefined): StepInProgress
  /** Is called when a request ends: its response is sent, or its client has left. */
  leave(request: Request<any, any, any, any>, reply: Reply<any, any>, outcome: RequestOutcome): void
  /** Runs work that is not a request. @param name the name of the work: of a call of `server.run`, or of a job */
  work<T>(name: string, call: () => Promise<T>): Promise<T>
  /**
   * Returns the trace of the running code, as texts by name, to be stored with a job that is done later, perhaps by another process.
   * `undefined` if there is no trace.
   */
  carry?(): Readonly<Record<string, string>> | undefined
  /** Runs code as a part of a trace that `carry` has returned, in this process or in another one. */
  resume?<T>(trace: Readonly<Record<string, string>>, call: () => T): T
  /** Is called when an application begins to boot. @param name the name of the application */
  boot?(name: string): ObservedBoot
  /**
   * Is called with the figures of an application when it is ready. Each figure is counted when the observer reads it.
   * @returns a function that is called when the application closes
   */
  watch?(figures: ObservedFigures): () => void
}

/** The boot of an application, which has begun. */
export interface ObservedBoot {
  /**
   * Is called when the making of a provider begins.
   * @returns a function to call when the provider is made, with the error if that has failed
   */
  construct(name: string): (error?: unknown) => void
  /** Is called when the boot ends, with the error if it has failed. */
  end(error?: unknown): void
}

/** The figures of an application, counted at the moment when they are read. */
export interface ObservedFigures {
  /** Returns the number of open scopes: of requests, and of work that is not a request. */
  openScopes(): number
  /** Counts the jobs of each queue whose store can count. A queue whose store fails is left out. */
  queues(): Promise<readonly ObservedQueue[]>
}

/** The numbers of jobs in a queue, over all processes. */
export interface ObservedQueue {
  readonly name: string
  /** The number of jobs that wait to be done, including jobs that are due later or wait for another attempt. */
  readonly waiting: number
  /** The number of jobs that are being done. */
  readonly active: number
}
