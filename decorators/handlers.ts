/**
 * Functions that the server calls, made from classes: a route's handler and the hooks that are methods. What lives as long as
 * its context is bound once, at boot; what is request-scoped is made for each request.
 */
import { finished } from 'node:stream'
import type { Reply, Request, RouteHandler } from '../lib/index.js'
import type { Class } from './metadata.js'
import { isClass, type RouteNode } from './module-tree.js'
import { type ProviderRecord, RequestScope, type Scope } from './scope.js'

/** Gives the scope of a request; the same for all that serve it. */
export type OpenRequestScope = (request: Request, reply?: Reply) => RequestScope

export function createRequestScopes(owners: (record: ProviderRecord) => Scope): OpenRequestScope {
  const open = new WeakMap<Request, RequestScope>()
  return (request, reply) => {
    let scope = open.get(request)
    if (scope === undefined) {
      open.set(request, (scope = new RequestScope(request, owners)))
      const made = scope
      // After the response, however it ended.
      finished(reply?.raw ?? request.raw, () => void made.end())
    }
    return scope
  }
}

type Method = (...args: any[]) => any

/** The handler of a route. */
export function createHandler(route: RouteNode, record: ProviderRecord, scope: Scope, openScope: OpenRequestScope): RouteHandler<any> {
  const call: Method = record.isRequestBound
    ? (request, reply) => withInstance(openScope(request, reply).get(record), (instance) => instance[route.member](request, reply))
    : bindMethod(scope.owner(record).get(record), route.member)
  const { status } = route.options
  if (status === undefined) return call
  return (request, reply) => {
    reply.code(status)
    return call(request, reply)
  }
}

/** The function for a hook of a route. */
export function createHook(
  name: string,
  hook: Method | Class,
  members: ReadonlyMap<Class, ProviderRecord>,
  scope: Scope,
  openScope: OpenRequestScope,
): Method {
  if (!isClass(hook as any)) return hook as Method
  const record = members.get(hook as Class)!
  if (!record.isRequestBound) return bindMethod(scope.owner(record).get(record), name)
  // The one hook that gets no reply.
  if (name === 'onRequestAbort')
    return (request: Request, done: unknown) => withInstance(openScope(request).get(record), (instance) => instance[name](request, done))
  return (request: Request, reply: Reply, ...rest: unknown[]) =>
    withInstance(openScope(request, reply).get(record), (instance) => instance[name](request, reply, ...rest))
}

export function bindMethod(instance: any, member: string | symbol): Method {
  return (instance[member] as Method).bind(instance)
}

function withInstance(instance: any, use: (instance: any) => unknown): unknown {
  return typeof instance?.then === 'function' ? instance.then(use) : use(instance)
}
