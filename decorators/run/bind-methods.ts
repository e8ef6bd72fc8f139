/**
 * Functions that the server calls, made from classes: a route's handler and the hooks that are methods. What lives as long as
 * its context is bound once, at boot; what is request-scoped is made for each request.
 */
import type { Reply, Request, RouteHandler, Server } from '../../lib/index.js'
import type { Class } from '../declare/metadata.js'
import { isClass, type RouteNode } from '../wiring/module-tree.js'
import { isPromise, type ProviderRecord, RequestScope, type Scope } from './scope.js'

/** Gives the scope of a request; the same for all that serve it. */
export type OpenRequestScope = (request: Request, reply?: Reply) => RequestScope

/** ms after the response in which the onResponse hooks of a request must be over, or its scope ends before them */
const LATE = 10_000

const kScope = Symbol('alcove.request-scope')

/** A request of an application that has request-scoped providers. */
interface ScopedRequest {
  [kScope]: RequestScope | null
}

/** The scopes of the requests that are being served. */
export class RequestScopes {
  readonly #owners: (record: ProviderRecord) => Scope
  /** Those that end by their time, with the timer. */
  readonly #late = new Map<RequestScope, NodeJS.Timeout>()

  constructor(owners: (record: ProviderRecord) => Scope) {
    this.#owners = owners
  }

  /** Gives requests the field that holds their scope. */
  declareIn(server: Server): void {
    server.decorateRequest(kScope, null)
  }

  /** Its scopes end with the response, however that ends. */
  readonly open: OpenRequestScope = (request, reply) => this.#scopeOf(request, reply, false)

  /** For routes whose onResponse hooks are of the scope: it ends with {@link end}, the last of these hooks. */
  readonly openForHooks: OpenRequestScope = (request, reply) => this.#scopeOf(request, reply, true)

  readonly end = (request: Request, _reply: Reply, done: () => void): void => {
    const scope = (request as unknown as ScopedRequest)[kScope]
    if (scope !== null) void this.#endNow(scope)
    done()
  }

  /** Ends what waits for its time: the application closes. */
  async endLate(): Promise<void> {
    await Promise.all([...this.#late.keys()].map((scope) => this.#endNow(scope)))
  }

  #endLater(scope: RequestScope): void {
    this.#late.set(scope, setTimeout(() => void this.#endNow(scope), LATE).unref())
  }

  #endNow(scope: RequestScope): Promise<void> {
    clearTimeout(this.#late.get(scope))
    this.#late.delete(scope)
    return scope.end()
  }

  #scopeOf(request: Request, reply: Reply | undefined, hasHooks: boolean): RequestScope {
    const known = (request as unknown as ScopedRequest)[kScope]
    if (known !== null) return known
    const scope = ((request as unknown as ScopedRequest)[kScope] = new RequestScope(request, this.#owners))
    const response = reply?.raw
    const end = (): void => void scope.end()
    // Before its turn has come, and over HTTP/2, a response does not tell that its client is gone, but the signal does.
    const isTold = response !== undefined && response.socket !== null && request.raw.httpVersionMajor === 1
    const isGone = response === undefined || (isTold ? response.destroyed : request.signal.aborted)
    // Its end has come already, as it has for the one hook without a reply.
    if (isGone) {
      this.#endLater(scope)
      return scope
    }
    if (!isTold) request.signal.addEventListener('abort', end)
    if (hasHooks) {
      let isFinished = false
      response.on('finish', () => {
        isFinished = true
        // One of the hooks may fail before the last has its turn.
        this.#endLater(scope)
      })
      // A response that was cut off has no onResponse hooks.
      response.on('close', () => isFinished || end())
    } else {
      response.on('finish', end)
      response.on('close', end)
    }
    return scope
  }
}

type Method = (...args: any[]) => any

/** The handler of a route. */
export function createHandler(route: RouteNode, record: ProviderRecord, scope: Scope, openScope: OpenRequestScope): RouteHandler<any> {
  const call: Method = record.isRequestBound
    ? (request, reply) => {
        const instance: any = openScope(request, reply).get(record)
        if (!isPromise(instance)) return instance[route.member](request, reply)
        return instance.then((made: any) => {
          // Its time may be over by then: what was answered with 503 must not happen after all.
          if (reply.sent) return reply
          const result: unknown = made[route.member](request, reply)
          // A promise of nothing would be an empty reply: a handler that returns nothing replies itself, if need be later.
          return result === undefined ? reply : result
        })
      }
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
  const HookClass = hook as Class
  const record = members.get(HookClass)!
  const run = record.isRequestBound ? openForHook(name, record, openScope) : bindHook(scope.owner(record).get(record), name, name)
  return Object.defineProperty(run, 'name', { value: `${HookClass.name}.${name}` })
}

function openForHook(name: string, record: ProviderRecord, openScope: OpenRequestScope): Method {
  // The one hook that gets no reply.
  if (name === 'onRequestAbort')
    return (request: Request, done: unknown) =>
      withInstance(openScope(request).get(record), (instance) => bindHook(instance, name, name)(request, done))
  return (request: Request, reply: Reply, ...rest: unknown[]) =>
    withInstance(openScope(request, reply).get(record), (instance) => bindHook(instance, name, name)(request, reply, ...rest))
}

// Where the hooks of a request take `done`.
const donePositions: Readonly<Record<string, number>> = {
  onRequest: 2,
  preParsing: 3,
  preValidation: 2,
  preHandler: 2,
  preSerialization: 3,
  onSend: 3,
  onResponse: 2,
  onError: 3,
  onTimeout: 2,
  onRequestAbort: 1,
}

/**
 * A method as a hook. One that is not asynchronous and takes no `done` is over when it returns: nothing else could end its turn.
 * Where it may reach `done` all the same (a rest parameter, `arguments`, a native function), it has to.
 */
export function bindHook(instance: any, member: string | symbol, name: string): Method {
  const method = instance[member] as Method
  const position = donePositions[name]
  if (position === undefined || method.length > position || isAsync(method) || mayReachDone(method)) return method.bind(instance)
  const run: Method = (...args) => {
    const result = method.apply(instance, args.slice(0, position))
    if (typeof result?.then === 'function') return result
    // Only the hooks that pass a payload on have a use for a value.
    args[position](null, position === 3 ? result : undefined)
  }
  return Object.defineProperty(run, 'name', { value: method.name })
}

function isAsync(method: Method): boolean {
  return method.constructor.name === 'AsyncFunction'
}

/** What was found out: instances of a request come with the same methods each time. */
const reaching = new WeakMap<Method, boolean>()

function mayReachDone(method: Method): boolean {
  let found = reaching.get(method)
  if (found === undefined) {
    const source = Function.prototype.toString.call(method)
    reaching.set(method, (found = hasRestParameter(source) || /\barguments\b|\[native code\]/.test(source)))
  }
  return found
}

/** A comment, a text, three dots, or a bracket. */
const lexeme = /\/\/.*|\/\*[^]*?\*\/|(['"`])(?:\\[^]|(?!\1)[^])*\1|\.\.\.|[()[\]{}]/g

function hasRestParameter(source: string): boolean {
  // An arrow function of one parameter without parentheses.
  if (/^[\w$]+\s*=>/.test(source)) return false
  const open: string[] = []
  for (const [found] of source.matchAll(lexeme)) {
    if ('([{'.includes(found)) open.push(found)
    else if (')]}'.includes(found)) {
      if (open.pop() === '(' && open.length === 0) return false
    } else if (found === '...' && open.length === 1 && open[0] === '(') return true
  }
  // It could not be read.
  return true
}

function bindMethod(instance: any, member: string | symbol): Method {
  return (instance[member] as Method).bind(instance)
}

/**
 * Runs a hook of an instance that may come only later. The hook ends its turn as it always does, by a promise of its own or by
 * `done`: the promise of the instance says nothing of that.
 */
function withInstance(instance: any, run: (instance: any) => unknown): unknown {
  if (!isPromise(instance)) return run(instance)
  return new Promise((resolve, reject) => {
    instance
      .then((made) => {
        const result = run(made)
        if (isPromise(result)) resolve(result)
      })
      .catch(reject)
  })
}
