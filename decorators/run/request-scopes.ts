/**
 * The scope of a request: the instances that belong to it, and when they are ended.
 *
 * A scope is opened by the first part of a request that needs an instance. It ends at the first of these events:
 *
 * - the response is finished, or closed before that. If a request-scoped onResponse hook runs for the route, a finished response does
 *   not end the scope;
 * - the last of these onResponse hooks has run ({@link RequestScopes.endAfterHooks});
 * - `END_LIMIT` has passed: since the response was finished (a hook before the last one has failed), or since the scope was opened (the
 *   response was closed by then);
 * - the application closes while the scope waits for that limit.
 */
import type { Reply, Request, Server } from '../../lib/index.js'
import type { Class } from '../declare/metadata.js'
import { LOGGER, REQUEST } from '../declare/tokens.js'
import type { Dependency, ProviderRecord } from '../wiring/provider-record.js'
import { endInstance } from './lifetimes.js'
import { isPromise } from './promises.js'
import { createWithoutClass, type Scope } from './scope.js'

/** ms that a scope may outlive its response */
const END_LIMIT = 10_000

/** ms that one instance may take to end; then the instances that it depends on are ended without waiting for it */
const INSTANCE_END_LIMIT = 10_000

/** Returns the scope of a request, which all of its hooks and its handler share. */
export type OpenRequestScope = (request: Request, reply?: Reply) => RequestScope

/** The last part of a request that uses its scope. */
export type LastUse = 'response' | 'onResponse hooks'

const kRequestScope = Symbol('alcove.request-scope')

interface ScopedRequest extends Request {
  [kRequestScope]: RequestScope | null
}

/** Opens and ends the scopes of all requests of an application. */
export class RequestScopes {
  readonly #ownerOf: (record: ProviderRecord) => Scope
  /** The scopes that outlive their response, with the timer that ends each of them. */
  readonly #outliving = new Map<RequestScope, NodeJS.Timeout>()
  readonly #openUntilResponse: OpenRequestScope = (request, reply) => this.#open(request, reply, 'response')
  readonly #openUntilHooks: OpenRequestScope = (request, reply) => this.#open(request, reply, 'onResponse hooks')

  constructor(ownerOf: (record: ProviderRecord) => Scope) {
    this.#ownerOf = ownerOf
  }

  /** Adds the member of requests that holds their scope. */
  addTo(server: Server): void {
    server.decorateRequest(kRequestScope, null)
  }

  /** The function that opens the scope of a request. The parts of a route must all use the same one. */
  openerFor(lastUse: LastUse): OpenRequestScope {
    return lastUse === 'response' ? this.#openUntilResponse : this.#openUntilHooks
  }

  /** An onResponse hook that comes after those which use the scope. */
  readonly endAfterHooks = (request: Request, _reply: Reply, done: () => void): void => {
    const scope = (request as ScopedRequest)[kRequestScope]
    if (scope !== null) void this.#end(scope)
    done()
  }

  /** Ends the scopes that outlive their response: the application closes. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#outliving.keys()].map((scope) => this.#end(scope)))
  }

  #open(request: Request, reply: Reply | undefined, lastUse: LastUse): RequestScope {
    const existing = (request as ScopedRequest)[kRequestScope]
    if (existing !== null) return existing
    const scope = ((request as ScopedRequest)[kRequestScope] = new RequestScope(request, this.#ownerOf))
    const response = reply?.raw
    // A response emits `close` when the client goes away, but not over HTTP/2, and not while it has no socket because an earlier
    // response of the same connection is still being sent. In these cases the signal of the request is aborted.
    const emitsClose = response !== undefined && response.socket !== null && request.raw.httpVersionMajor === 1
    // Without a reply this is an onRequestAbort hook: the client is gone.
    const isClosed = response === undefined || (emitsClose ? response.destroyed : request.signal.aborted)
    if (isClosed) {
      this.#endWithinLimit(scope)
      return scope
    }
    const end = (): void => void scope.end()
    if (!emitsClose) request.signal.addEventListener('abort', end)
    if (lastUse === 'response') {
      response.on('finish', end)
      response.on('close', end)
      return scope
    }
    let isFinished = false
    response.on('finish', () => {
      isFinished = true
      // The last hook ends the scope, unless one before it fails.
      this.#endWithinLimit(scope)
    })
    // If the response closes before it is finished, no onResponse hooks run.
    response.on('close', () => isFinished || end())
    return scope
  }

  #endWithinLimit(scope: RequestScope): void {
    this.#outliving.set(scope, setTimeout(() => void this.#end(scope), END_LIMIT).unref())
  }

  #end(scope: RequestScope): Promise<void> {
    clearTimeout(this.#outliving.get(scope))
    this.#outliving.delete(scope)
    return scope.end()
  }
}

/** The instances of one request: constructed when first asked for, ended with the scope. */
export class RequestScope {
  private readonly instances = new Map<ProviderRecord, unknown>()
  /** The instances to end, in the order in which they were constructed. */
  private readonly toEnd: unknown[] = []
  private hasEnded = false
  private readonly request: Request
  private readonly ownerOf: (record: ProviderRecord) => Scope

  constructor(request: Request, ownerOf: (record: ProviderRecord) => Scope) {
    this.request = request
    this.ownerOf = ownerOf
  }

  /** The instance for this request; a promise of it if an asynchronous factory takes part and has not completed. */
  get(record: ProviderRecord): unknown {
    if (record.scope === 'transient') return this.construct(record)
    if (!record.isRequestBound) return this.ownerOf(record).get(record)
    if (this.instances.has(record)) return this.instances.get(record)
    const value = this.construct(record)
    this.instances.set(record, value)
    // Once the promise is fulfilled, the instance takes its place: later callers do not have to wait.
    if (isPromise(value))
      value.then(
        (instance) => this.instances.set(record, instance),
        () => {},
      )
    return value
  }

  private construct(record: ProviderRecord): unknown {
    const values = record.dependencies.map((dependency) => this.dependency(dependency, record))
    const value = values.some(isPromise) ? Promise.all(values).then((settled) => this.create(record, settled)) : this.create(record, values)
    // The caller handles a rejection. If another dependency of the caller fails first, nothing awaits this promise: mark it as handled.
    if (isPromise(value)) value.then(undefined, () => {})
    return value
  }

  private create(record: ProviderRecord, values: readonly unknown[]): unknown {
    const value: unknown = record.kind === 'class' ? new (record.source as Class)(...values) : createWithoutClass(record, values)
    if (record.kind === 'class' || record.kind === 'factory') {
      if (isPromise(value)) return value.then((instance) => this.keep(instance))
      this.keep(value)
    }
    return value
  }

  // A slow factory may complete after the scope has ended, for example if the client went away: its instance is ended at once.
  private keep(instance: unknown): unknown {
    if (this.hasEnded) void endInstance(instance, this.request.log)
    else this.toEnd.push(instance)
    return instance
  }

  private dependency(dependency: Dependency, record: ProviderRecord): unknown {
    if ('missing' in dependency) return undefined
    if ('provider' in dependency) return this.get(dependency.provider)
    if (dependency.builtIn === REQUEST) return this.request
    if (dependency.builtIn === LOGGER) return this.request.log
    return this.ownerOf(record).builtIn(dependency.builtIn, record)
  }

  /** Ends the instances in reverse order, once. */
  async end(): Promise<void> {
    if (this.hasEnded) return
    this.hasEnded = true
    while (this.toEnd.length > 0) await endInstance(this.toEnd.pop(), this.request.log, INSTANCE_END_LIMIT)
  }
}
