/**
 * Classes that are given as options instead of functions: error handlers, not-found handlers, schema error formatters and body parsers. A
 * class is constructed with its dependencies injected; its method has the name of the option.
 */
import type { ErrorHandler, HttpPart, Reply, SchemaErrorDetail } from '../../lib/index.js'

// A request is `any` here: a method may name the request decorators that it reads, which @Plugin checks.

/**
 * A class that handles errors, given as the option `errorHandler`. It may be request-scoped.
 * ```ts
 * class ApiErrors implements InjectedErrorHandler {
 *   static readonly inject = [AuditLog] as const
 *   constructor(private readonly log: AuditLog) {}
 *   errorHandler(error: Error, request: Request, reply: Reply) { … }
 * }
 * @Plugin({ providers: [AuditLog], errorHandler: ApiErrors })
 * class App {}
 * ```
 */
export interface InjectedErrorHandler {
  errorHandler: (error: any, request: any, reply: Reply<any, any>) => unknown
}

/** A class that handles the errors of one route. Nothing tells its route which plugin has it, so it reads no request decorator for certain. */
export interface RouteErrorHandler {
  errorHandler: ErrorHandler
}

/** A class that answers requests without a route, given as the option `notFoundHandler`. It may be request-scoped. */
export interface InjectedNotFoundHandler {
  notFoundHandler: (request: any, reply: Reply<any, any>) => unknown
}

/** A class that creates the errors of failed validations, given as the option `schemaErrorFormatter`. It cannot be request-scoped. */
export interface InjectedSchemaErrorFormatter {
  schemaErrorFormatter: (errors: SchemaErrorDetail[], dataVar: HttpPart) => Error
}

/**
 * A class that parses bodies, given as `parse` of a body parser. Its method returns the body or a promise of the body, or calls `done`. It
 * may be request-scoped.
 */
export interface InjectedContentTypeParser {
  parse: (request: any, payload: any, done: (error: Error | null, body?: unknown) => void) => unknown
}

/** The options that take a class instead of a function, with the method of the class that is called. */
export const handlerMethods = {
  errorHandler: 'errorHandler(error, request, reply)',
  notFoundHandler: 'notFoundHandler(request, reply)',
  schemaErrorFormatter: 'schemaErrorFormatter(errors, dataVar)',
  contentTypeParsers: 'parse(request, payload)',
} as const

/** The name of an option that takes a class instead of a function. */
export type HandlerOption = keyof typeof handlerMethods
