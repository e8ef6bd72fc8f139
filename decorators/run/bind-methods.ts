/**
 * Turns methods of classes into the functions that the server calls: handlers of routes and hooks. An instance that lives as long as
 * its context is bound once, at boot; a request-scoped one is looked up in each request.
 */
import type { Request, RouteHandler } from '../../lib/index.js'
import type { Class } from '../declare/metadata.js'
import { isClass, type RouteNode } from '../wiring/module-tree.js'
import type { ProviderRecord } from '../wiring/provider-record.js'
import { bindHook } from './done-callback.js'
import { isPromise } from './promises.js'
import type { RequestScopes } from './request-scopes.js'
import type { Scope } from './scope.js'

type OpenScope = RequestScopes['open']
type Method = (...args: any[]) => any

/** The handler of a route. */
export function createHandler(route: RouteNode, record: ProviderRecord, scope: Scope, openScope: OpenScope): RouteHandler<any> {
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

function callInRequestScope(record: ProviderRecord, member: string | symbol, openScope: OpenScope): Method {
  return (request, reply) => {
    const instance: any = openScope(request).get(record)
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
  openScope: OpenScope,
): Method {
  if (!isClass(hook)) return hook
  const record = members.get(hook)!
  const run = record.isRequestBound ? hookInRequestScope(name, record, openScope) : bindHook(scope.ownerOf(record).get(record), name, name)
  return Object.defineProperty(run, 'name', { value: `${hook.name}.${name}` })
}

function hookInRequestScope(name: string, record: ProviderRecord, openScope: OpenScope): Method {
  return (...given: unknown[]) => {
    const instance: any = openScope(given[0] as Request).get(record)
    return isPromise(instance) ? runLater(instance, name, given) : bindHook(instance, name, name)(...given)
  }
}

/** Runs a hook of an instance that does not exist yet. The promise that is returned settles when the hook has, also by `done`. */
function runLater(instance: Promise<any>, name: string, given: readonly unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = given.at(-1) as Method
    instance
      .then((created) => {
        const result: unknown = bindHook(
          created,
          name,
          name,
        )(...given.slice(0, -1), (...completion: unknown[]) => {
          done(...completion)
          resolve(undefined)
        })
        if (isPromise(result)) resolve(result)
      })
      .catch(reject)
  })
}
