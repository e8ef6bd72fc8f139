/**
 * Makes the functions that the server calls as error handlers, not-found handlers, schema error formatters and body parsers, from functions
 * in options and from methods of classes. The instance of a class is looked up when it is first needed, because a context declares its
 * handlers before anything is constructed; the instance of a request-scoped class is looked up in each request.
 */
import type { ContentTypeParser, ErrorHandler, Reply, Request, RouteHandler, SchemaErrorFormatter } from '../../lib/index.js'
import { isPromiseLike } from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'
import { isClass } from '../wiring/value-names.js'
import { madeOf, runLater } from './bind-methods.js'
import { completeErrorHandler, completeFunction, completeHandler, takesReply } from './complete-handler.js'
import { completeParser } from './done-callback.js'
import type { Instances } from './scopes/request-scopes.js'

type Method = (...args: any[]) => any

/** A kind of handler class: the name of its method, and how the method is called. */
interface HandlerKind {
  readonly member: string
  /** Returns the function to call instead of a bound method. The second argument is the unbound method, whose parameters are counted. */
  readonly complete: (bound: Method, method: Method) => Method
  /** The index of the parameter that is the request. */
  readonly requestAt: number
  /** Calls the method of a request-scoped class once its instance exists, if an asynchronous factory is still making it. */
  readonly callLater: (...args: Parameters<typeof runLater>) => PromiseLike<unknown>
}

const errorHandlers: HandlerKind = { member: 'errorHandler', complete: completeErrorHandler, requestAt: 1, callLater: answerLater }
const notFoundHandlers: HandlerKind = { member: 'notFoundHandler', complete: answerNothing, requestAt: 0, callLater: answerLater }
const parsers: HandlerKind = { member: 'parse', complete: completeParser, requestAt: 0, callLater: runLater }
// A request-scoped formatter is a fault of the wiring.
const formatters: HandlerKind = { member: 'schemaErrorFormatter', complete: (bound) => bound, requestAt: -1, callLater: runLater }

export function errorHandlerOf(handler: ErrorHandler | Class, from: Instances): ErrorHandler {
  return madeOf(handler, isClass(handler) ? methodOf(handler, errorHandlers, from) : named(completeErrorHandler(handler), handler.name))
}

export function notFoundHandlerOf(handler: RouteHandler<any> | Class, from: Instances): RouteHandler<any> {
  if (!isClass(handler)) return madeOf(handler, named(completeFunction(handler), handler.name))
  // Whether a method takes the reply is known with the instance, so the function itself answers for a method that does not.
  return madeOf(handler, completeHandler(methodOf(handler, notFoundHandlers, from), true))
}

export function schemaErrorFormatterOf(formatter: SchemaErrorFormatter | Class, from: Instances): SchemaErrorFormatter {
  return isClass(formatter) ? methodOf(formatter, formatters, from) : formatter
}

export function parserOf(parser: ContentTypeParser | Class, from: Instances): ContentTypeParser {
  return isClass(parser) ? methodOf(parser, parsers, from) : named(completeParser(parser), parser.name)
}

function methodOf(Handler: Class, kind: HandlerKind, { constructedClasses, find, openScope }: Instances): Method {
  const { member, complete, requestAt, callLater } = kind
  const record = constructedClasses.get(Handler)!
  const bind = (instance: any): Method => complete((instance[member] as Method).bind(instance), instance[member] as Method)
  let bound: Method | undefined
  const handle: Method = (first, second, third) => (bound ??= bind(find(record)))(first, second, third)
  const call = (instance: unknown, args: readonly unknown[]): unknown => bind(instance)(...args)
  const handleInRequestScope: Method = (...args) => {
    const instance: unknown = openScope(args[requestAt] as Request).get(record)
    return isPromiseLike(instance) ? callLater(instance, call, args) : call(instance, args)
  }
  return named(record.isRequestBound ? handleInRequestScope : handle, `${Handler.name}.${member}`)
}

/**
 * Calls a handler once its instance exists, if an asynchronous factory is still making it. The last argument of the handler is the reply.
 */
function answerLater(
  instance: PromiseLike<unknown>,
  call: (instance: unknown, args: readonly unknown[]) => unknown,
  args: readonly unknown[],
): PromiseLike<unknown> {
  const reply = args.at(-1) as Reply
  return instance.then((created) => {
    // If the time of the request was over meanwhile and 503 was sent, the handler must not run.
    if (reply.sent) return reply
    // A promise of `undefined` would send an empty reply, but a handler that takes the reply may send it later.
    const result = call(created, args)
    return result === undefined ? reply : result
  })
}

/**
 * Returns a not-found handler that makes the server send an empty body if the handler returns nothing. A handler with a parameter for the
 * reply is returned unchanged.
 */
function answerNothing(handler: Method, method: Method): Method {
  if (takesReply(method)) return handler
  return (request, reply) => {
    const result: unknown = handler(request, reply)
    return result === undefined ? Promise.resolve() : result
  }
}

function named<F extends Method>(handler: F, name: string): F {
  return handler.name === name ? handler : Object.defineProperty(handler, 'name', { value: name })
}
