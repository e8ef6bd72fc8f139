/**
 * Classes that are given instead of functions: error handlers, not-found handlers, schema error formatters and body parsers. A class is constructed
 * with its dependencies injected; its method has the name of the option.
 */
import type { HttpPart, Reply, SchemaErrorDetail } from '../../lib/index.js'

// A method may ask for the request decorators that it reads, which @Plugin checks.

/**
 * A class that is given as `errorHandler`. It may be request-scoped.
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

/** A class that is given as `notFoundHandler`. It may be request-scoped. */
export interface InjectedNotFoundHandler {
  notFoundHandler: (request: any, reply: Reply<any, any>) => unknown
}

/** A class that is given as `schemaErrorFormatter`. It cannot be request-scoped. */
export interface InjectedSchemaErrorFormatter {
  schemaErrorFormatter: (errors: SchemaErrorDetail[], dataVar: HttpPart) => Error
}

/** A class that is given as `parse` of a body parser. Its method returns the body or a promise of it, or calls `done`. It may be request-scoped. */
export interface InjectedContentTypeParser {
  parse: (request: any, payload: any, done: (error: Error | null, body?: unknown) => void) => unknown
}

/** The options that take such classes, with the method that is called. */
export const handlerMethods = {
  errorHandler: 'errorHandler(error, request, reply)',
  notFoundHandler: 'notFoundHandler(request, reply)',
  schemaErrorFormatter: 'schemaErrorFormatter(errors, dataVar)',
  contentTypeParsers: 'parse(request, payload)',
} as const

/** An option that takes such a class. */
export type HandlerOption = keyof typeof handlerMethods
