/**
 * Turns methods of classes into the functions that the server calls: handlers of routes and hooks. An instance that lives as long as
 * its context is bound once, at boot; a request-scoped one is looked up in each request.
 */
import type { Reply, Request, RouteHandler } from '../../lib/index.js'
import type { Class } from '../declare/metadata.js'
import { isClass, type RouteNode } from '../wiring/module-tree.js'
import type { ProviderRecord } from '../wiring/provider-record.js'
import { bindHook } from './done-callback.js'
import { isPromise } from './promises.js'
import type { OpenRequestScope } from './request-scopes.js'
import type { Scope } from './scope.js'

type Method = (...args: any[]) => any

/** The handler of a route. */
export function createHandler(route: RouteNode, record: ProviderRecord, scope: Scope, openScope: OpenRequestScope): RouteHandler<any> {
  const call: Method = record.isRequestBound
    ? callInRequestScope(record, route.member, openScope)
    : bindMethod(scope.ownerOf(record).get(record), route.member)
  const { status } = route.options
  if (status === undefined) return call
  return (request, reply) => {
    reply.code(status)
    return call(request, reply)
  }
}

function bindMethod(instance: any, member: string | symbol): Method {
  return (instance[member] as Method).bind(instance)
}

function callInRequestScope(record: ProviderRecord, member: string | symbol, openScope: OpenRequestScope): Method {
  return (request, reply) => {
    const instance: any = openScope(request, reply).get(record)
    if (!isPromise(instance)) return instance[member](request, reply)
    return instance.then((created: any) => {
      // If the handler timed out meanwhile and 503 was sent, its method must not run.
      if (reply.sent) return reply
      const result: unknown = created[member](request, reply)
      // A promise of `undefined` would send an empty reply. A handler that returns nothing sends the reply itself, possibly later.
      return result === undefined ? reply : result
    })
  }
}

/** The function for a hook of a route or context, given as a function or as a class. */
export function createHook(
  name: string,
  hook: Method | Class,
  members: ReadonlyMap<Class, ProviderRecord>,
  scope: Scope,
  openScope: OpenRequestScope,
): Method {
  if (!isClass(hook)) return hook
  const record = members.get(hook)!
  const run = record.isRequestBound ? hookInRequestScope(name, record, openScope) : bindHook(scope.ownerOf(record).get(record), name, name)
  return Object.defineProperty(run, 'name', { value: `${hook.name}.${name}` })
}

function hookInRequestScope(name: string, record: ProviderRecord, openScope: OpenRequestScope): Method {
  // The only hook that is not called with a reply.
  if (name === 'onRequestAbort')
    return (request: Request, done: unknown) =>
      runWithInstance(openScope(request).get(record), (instance) => bindHook(instance, name, name)(request, done))
  return (request: Request, reply: Reply, ...rest: unknown[]) =>
    runWithInstance(openScope(request, reply).get(record), (instance) => bindHook(instance, name, name)(request, reply, ...rest))
}

/**
 * Runs a hook of an instance, which may be a promise. The promise that is returned then rejects if the instance or the hook fails, and
 * resolves only with a promise of the hook: a hook that calls `done` leaves it pending.
 */
function runWithInstance(instance: any, run: (instance: any) => unknown): unknown {
  if (!isPromise(instance)) return run(instance)
  return new Promise((resolve, reject) => {
    instance
      .then((created) => {
        const result = run(created)
        if (isPromise(result)) resolve(result)
      })
      .catch(reject)
  })
}
