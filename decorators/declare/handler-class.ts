/**
 * The types of classes that options take instead of functions: error handlers, not-found handlers, schema error formatters and body
 * parsers. Such a class is constructed with its dependencies injected, and its method has the name of the option.
 */
import type { ErrorHandler, HttpPart, Reply, SchemaErrorDetail } from '../../lib/index.js'

// A request is `any` here: a method may name the request decorators that it reads, which @Plugin checks.

/**
 * A class that handles errors, for the option `errorHandler`. The class may be request-scoped.
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

/**
 * A class that handles the errors of one route. The class cannot rely on a request decorator, because the type of the route's option does
 * not know the plugin that adds the decorator.
 */
export interface RouteErrorHandler {
  errorHandler: ErrorHandler
}

/** A class that handles requests without a matching route, for the option `notFoundHandler`. The class may be request-scoped. */
export interface InjectedNotFoundHandler {
  notFoundHandler: (request: any, reply: Reply<any, any>) => unknown
}

/** A class that creates the errors of failed validations, for the option `schemaErrorFormatter`. The class cannot be request-scoped. */
export interface InjectedSchemaErrorFormatter {
  schemaErrorFormatter: (errors: SchemaErrorDetail[], dataVar: HttpPart) => Error
}

/**
 * A class that parses bodies, for the option `parse` of a body parser. Its method returns the body or a promise of the body, or calls
 * `done`. The class may be request-scoped.
 */
export interface InjectedContentTypeParser {
  parse: (request: any, payload: any, done: (error: Error | null, body?: unknown) => void) => unknown
}

/** The options that take a class instead of a function, with the signature of the class's method. */
export const handlerMethods = {
  errorHandler: 'errorHandler(error, request, reply)',
  notFoundHandler: 'notFoundHandler(request, reply)',
  schemaErrorFormatter: 'schemaErrorFormatter(errors, dataVar)',
  contentTypeParsers: 'parse(request, payload)',
} as const

/** The name of an option that takes a class instead of a function. */
export type HandlerOption = keyof typeof handlerMethods
