/**
 * Handles of request-scoped providers. A class that lives longer than a request injects such a handle (`ambient(TOKEN)`), by which it reads
 * the instance of the current request.
 *
 * A request is stored as the current one before its first hook, if its context, or one above, has a class with a handle. Such a class can
 * be injected only in this context and below, so wherever the class is used, the current request is known.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Request } from '../../../lib/index.js'
import { isPromiseLike, isRequestOver } from '../../../lib/internal.js'
import { type Ambient, LOGGER, tokenName } from '../../declare/tokens.js'
import { ResolutionError } from '../../wiring/faults.js'
import { labelOfRecord, type PresentDependency, type ProviderRecord } from '../../wiring/provider-record.js'
import { requestMissing, UnitScope } from './unit-scope.js'

/** The storage in which handles (`ambient`) find the current request, or the current work of `server.run`. */
export class Ambients {
  readonly #storage = new AsyncLocalStorage<Request | UnitScope>()
  readonly #scopeOf: (request: Request) => UnitScope

  /** @param scopeOf returns the scope of a request, which is opened if needed */
  constructor(scopeOf: (request: Request) => UnitScope) {
    this.#scopeOf = scopeOf
  }

  /** Makes a request the current one for the function that goes on with it. `workerd` has no `enterWith`, which would need no function. */
  readonly enter = (request: Request, goOn: () => void): void => this.#storage.run(request, goOn)

  /** Calls a function with the scope as the current one in the function's async context. */
  run<T>(scope: UnitScope, call: () => T): T {
    return this.#storage.run(scope, call)
  }

  /** Returns the scope of the current request or other work; `undefined` if there is none, or if it is over. */
  get unit(): UnitScope | undefined {
    const current = this.#storage.getStore()
    if (current === undefined || current instanceof UnitScope) return current?.hasEnded === true ? undefined : current
    if (isRequestOver(current)) return undefined
    return this.#scopeOf(current)
  }

  /** Makes the handle for a dependency with `ambient`. */
  handleOf(dependency: PresentDependency, record: ProviderRecord): Ambient<unknown> {
    const name = `ambient(${tokenName(dependency.token)}) of ${labelOfRecord(record)}`
    const find = (): unknown => this.#find(dependency, name)
    return {
      get current() {
        const value = find()
        if (isPromiseLike(value))
          throw new ResolutionError(`${name} is still being made by an asynchronous factory. Use await handle.get().`)
        return value
      },
      get: async () => find(),
    }
  }

  #find(dependency: PresentDependency, name: string): unknown {
    const unit = this.#storage.getStore()
    if (unit === undefined)
      throw new ResolutionError(`${name} was read outside of a request. Do the work in server.run(async (scope) => …), or in a request.`)
    // The request and its logger can be read for ever, so that a late line is logged.
    if ('builtIn' in dependency) {
      if (dependency.builtIn === LOGGER) return unit.log
      const request = unit instanceof UnitScope ? unit.request : unit
      if (request === undefined) throw requestMissing(name)
      return request
    }
    const scope = unit instanceof UnitScope ? unit : this.#scopeOf(unit)
    if (scope.isClosed) throw scope.endedError(name)
    return scope.get(dependency.provider)
  }
}
