/**
 * Turns methods of classes into the functions that the server calls: route handlers and hooks. A method of an instance with the lifetime of
 * its context is bound once, at boot; a request-scoped instance is looked up in each request.
 */
import type { Request, RouteHandler } from '../../lib/index.js'
import { exchangeOf, isAsyncFunction, isPromiseLike, kRunsWithin, setDeclaredReplies } from '../../lib/internal.js'
import { getDeclaredReplies } from '../declare/class-replies.js'
import type { Class } from '../declare/metadata.js'
import { isClass } from '../wiring/value-names.js'
import type { RouteNode, UsedHook } from '../wiring/nodes.js'
import type { ProviderRecord } from '../wiring/provider-record.js'
import { type Around, bindMethod, surround, withInstance } from './around.js'
import { completeHandler, takesReply } from './complete-handler.js'
import { bindHook, completeHook, completeMethod, type HookPlace, refuseFalse } from './done-callback.js'
import type { Instances, RequestScopes } from './scopes/request-scopes.js'

type OpenScope = RequestScopes['open']
type Method = (...args: any[]) => any

/** Creates the handler of a route, surrounded by its `around` hooks. */
export function createHandler(
  route: RouteNode,
  { constructedClasses, find, openScope }: Instances,
  arounds: readonly Around[],
): RouteHandler<any> {
  const { member } = route
  const record = constructedClasses.get(route.Class)!
  const instance: any = record.isRequestBound ? (record.source as Class<object>).prototype : find(record)
  const call = record.isRequestBound ? callInRequestScope(record, member, openScope) : bindMethod(instance, member)
  // An override may construct its instances in another way. Then the parameters of the call say that it takes the reply.
  const method = (instance?.[member] as Method | undefined) ?? call
  const repliesLater = takesReply(method)
  const surrounded = arounds.length === 0 ? call : surround(call, repliesLater, arounds)
  const answer = answerWithStatus(surrounded, route.options.status)
  const accept = record.isRequestBound ? acceptInRequestScope(record, member, openScope) : call
  const takesSocket = Boolean((route.options as { websocket?: unknown }).websocket)
  // The promise of an async method that is fulfilled with nothing is a reply without a body, also if the method takes the reply.
  const mayReplyLater = repliesLater && !isAsyncFunction(method)
  const handler = completeHandler(takesSocket ? acceptSocket(answer, accept, arounds) : answer, mayReplyLater)
  // The server sees one call, and cannot tell which of them it waits for.
  const within = [...arounds.map(({ label }) => label), ...(record.isRequestBound ? ['a request-scoped provider'] : [])]
  if (within.length > 0) Object.assign(handler, { [kRunsWithin]: within })
  return Object.defineProperty(handler, 'name', { value: route.path })
}

/**
 * Returns a handler that first sets the status of the reply. The status is set before the `around` hooks are called, because a hook may
 * reply without calling the handler. A status of success does not count as chosen, so that `reply.redirect` takes 302 in place of it.
 */
function answerWithStatus(handler: Method, status: number | undefined): Method {
  if (status === undefined) return handler
  return (request: any, reply: any): unknown => {
    reply.code(status)
    if (status < 300) exchangeOf(reply).hasStatus = false
    return handler(request, reply)
  }
}

/**
 * Returns the handler of a route with `websocket: true`. After an upgrade, `@fastify/websocket` calls it with the socket and the request, in
 * this order; there is no reply then, so no status is set.
 * @param answer the handler for a request that was not upgraded
 * @param accept the method of the route, which takes the socket
 */
function acceptSocket(answer: Method, accept: Method, arounds: readonly Around[]): Method {
  const surrounded = surround((request, { socket }) => accept(socket, request), false, arounds)
  // `around` hooks ask the second argument whether the reply was sent.
  return (socket: any, request: any): unknown =>
    exchangeOf(socket) === undefined ? surrounded(request, { socket, sent: false }) : answer(socket, request)
}

/** Returns a function that calls the method of a request-scoped route with the socket of an upgraded request. */
function acceptInRequestScope(record: ProviderRecord, member: string | symbol, openScope: OpenScope): Method {
  return (socket, request) => withInstance(openScope(request).get(record), (instance) => instance[member](socket, request))
}

function callInRequestScope(record: ProviderRecord, member: string | symbol, openScope: OpenScope): Method {
  return (request, reply) => {
    const instance: any = openScope(request).get(record)
    if (!isPromiseLike(instance)) return instance[member](request, reply)
    return instance.then((created: any) => {
      // If the handler timed out meanwhile and 503 was sent, its method must not run.
      if (reply.sent) return reply
      const result: unknown = created[member](request, reply)
      // A promise of `undefined` would send an empty reply. A handler that takes the reply sends it itself, possibly later.
      return result === undefined && takesReply(created[member] as Method) ? reply : result
    })
  }
}

/**
 * Creates the function for a hook of a route or context from the hook function or hook class.
 * @param path the path of the route or plugin, for messages
 */
export function createHook({ name, hook }: UsedHook, path: string, { constructedClasses, find, openScope }: Instances): Method {
  if (!isClass(hook)) return madeOf(hook, completeHook(hook, { name, label: `${hook.name || 'without a name'} of ${path}` }))
  const record = constructedClasses.get(hook)!
  const place = { name, label: `${hook.name}.${name} of ${path}` }
  const hookFunction = record.isRequestBound ? hookInRequestScope(place, record, openScope) : bindHook(find(record), name, place)
  return madeOf(hook, Object.defineProperty(hookFunction, 'name', { value: `${hook.name}.${name}` }))
}

const sources = new WeakMap<Method, unknown>()

/**
 * Returns the class, function or method from which {@link madeOf} recorded that a function was made. Any other function is returned itself.
 */
export function sourceOf(made: Method): unknown {
  return sources.get(made) ?? made
}

/** Records the class, function or method from which a function was made, and copies its declared replies. Returns the function. */
export function madeOf<F extends Method>(source: Method | Class, made: F): F {
  setDeclaredReplies(made, getDeclaredReplies(source))
  sources.set(made, source)
  return made
}

function hookInRequestScope(place: HookPlace, record: ProviderRecord, openScope: OpenScope): Method {
  // Each instance of an override may have another method.
  const completed = new WeakMap<Method, Method>()
  function call(instance: any, args: readonly unknown[]): unknown {
    const method = instance[place.name] as Method
    let hook = completed.get(method)
    if (hook === undefined) completed.set(method, (hook = completeMethod(method, place)))
    return hook.apply(instance, args as unknown[])
  }
  function hookInScope(...args: unknown[]): unknown {
    const instance: unknown = openScope(args[0] as Request).get(record)
    return isPromiseLike(instance) ? runLater(instance, call, args) : call(instance, args)
  }
  return refuseFalse(hookInScope, place)
}

/**
 * Calls a hook or body parser of a class once its instance, which an asynchronous factory is still making, exists. Returns a promise that
 * settles when the hook or parser has completed, also by `done`.
 */
export function runLater(
  instance: PromiseLike<unknown>,
  call: (instance: unknown, args: readonly unknown[]) => unknown,
  args: readonly unknown[],
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = args.at(-1) as Method
    instance
      .then((created) => {
        const doneLater = (...completion: unknown[]): void => {
          done(...completion)
          resolve(undefined)
        }
        const result = call(created, [...args.slice(0, -1), doneLater])
        if (isPromiseLike(result)) resolve(result)
      })
      .then(undefined, reject)
  })
}
