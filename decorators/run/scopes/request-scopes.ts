/**
 * The scope of a request: the instances that belong to the request, and their end.
 *
 * A scope is opened when a request first needs an instance. It ends when the request is over: when the response is sent or the client has
 * left, the last hooks have run, and the handler and hooks have settled, whichever comes last. Handlers and hooks that never settle are
 * waited for until 30 s after the response, or until the server has closed.
 */
import type { Logger, Request, RequestOutcome, Server, StepInProgress } from '../../../lib/index.js'
import {
  type BackgroundWork,
  beginBackgroundWork,
  isRequestOver,
  noteCloseStep,
  noteIncomplete,
  observerOf,
  outcomeOf,
  setBeforeHead,
  settleWithin,
  whenRequestIsOver,
} from '../../../lib/internal.js'
import type { Class } from '../../declare/metadata.js'
import { ResolutionError } from '../../wiring/faults.js'
import { labelOfRecord, type ProviderRecord } from '../../wiring/provider-record.js'
import type { Figures } from './figures.js'
import type { Scope } from './scope.js'
import { type ScopeStorage, UnitScope } from './unit-scope.js'

/** The time that request scopes may take to end when the server closes, in ms. */
const CLOSE_LIMIT = 1_000

const kRequestScope = Symbol('alcove.request-scope')

interface ScopedRequest extends Request {
  [kRequestScope]: RequestScope | null
}

/** The provider records of a plugin's classes, and the functions that find their instances. */
export interface Instances {
  /** The provider record of the plugin class itself. */
  readonly plugin: ProviderRecord
  readonly constructedClasses: ReadonlyMap<Class, ProviderRecord>
  /**
   * Returns the instance of a class with the lifetime of its context.
   * @throws ResolutionError if the instance is not constructed yet
   */
  readonly find: (record: ProviderRecord) => unknown
  readonly openScope: RequestScopes['open']
}

/** Opens and ends the scopes of all requests of an application. */
export class RequestScopes {
  readonly #ownerOf: (record: ProviderRecord) => Scope
  /** The number of scopes that are being ended. */
  #endingCount = 0
  #onSettled: (() => void) | undefined
  /** The storage in which handles (`ambient`) find the current scope; `undefined` if no class has a handle. */
  storage: ScopeStorage | undefined
  /** The counter of open scopes; `undefined` if there is no observer. */
  figures: Figures | undefined

  constructor(ownerOf: (record: ProviderRecord) => Scope) {
    this.#ownerOf = ownerOf
  }

  /** Adds the member to requests that contains the scope of the request. */
  addTo(server: Server): void {
    server.decorateRequest(kRequestScope, null)
  }

  /**
   * Returns the scope of a request, which is opened if needed. All hooks of the request and its handler share this scope. @throws
   * ResolutionError if the request is over
   */
  readonly open = (request: Request): RequestScope => {
    const scope = this.find(request)
    if (scope.hasEnded) throw requestOver()
    return scope
  }

  /**
   * Returns the scope of a request, which is opened if needed. If the request is over, the instances of the scope may be ending.
   * @throws ResolutionError if the request is over and has no scope
   */
  readonly find = (request: Request): RequestScope => {
    const known = (request as ScopedRequest)[kRequestScope]
    if (known !== null) return known
    if (isRequestOver(request)) throw requestOver()
    const scope = new RequestScope(request, this.#ownerOf, this.storage)
    ;(request as ScopedRequest)[kRequestScope] = scope
    this.figures?.noteOpened()
    whenRequestIsOver(request, () => this.#end(scope))
    return scope
  }

  #end(scope: RequestScope): void {
    const ending = scope.end()
    if (ending === undefined) return this.figures?.noteEnded()
    this.#endingCount++
    // The onClose hooks of plugins may close what the instances use, such as a pool.
    const work = new ScopeEnding(scope.request, ending, this.#noteEnd)
    const release = beginBackgroundWork(scope.request.server, work)
    void ending.then(() => {
      work.end()
      release?.()
    })
  }

  readonly #noteEnd = (): void => {
    this.#endingCount--
    this.figures?.noteEnded()
    if (this.#endingCount === 0) this.#onSettled?.()
  }

  /**
   * Waits for the scopes of requests that the closing server no longer waited for, at most `CLOSE_LIMIT`, before the application ends the
   * instances on which they depend.
   */
  async settled(server: Server): Promise<void> {
    if (this.#endingCount === 0) return
    noteCloseStep(server, 'request scopes')
    try {
      await settleWithin(CLOSE_LIMIT, new Promise<void>((resolve) => (this.#onSettled = resolve)))
    } catch {
      server.log.error(`${this.#endingCount} request scopes did not end within ${CLOSE_LIMIT} ms while the server closed`)
      noteIncomplete(server)
    }
  }
}

/** The end of a request scope, as work that a closing server waits for. */
class ScopeEnding implements BackgroundWork {
  readonly isOfRequest = true
  readonly #request: Request
  readonly #ending: Promise<void>
  #noteEnd: (() => void) | undefined

  /** @param noteEnd called once, when the scope has ended or the server no longer waits for it */
  constructor(request: Request, ending: Promise<void>, noteEnd: () => void) {
    this.#request = request
    this.#ending = ending
    this.#noteEnd = noteEnd
  }

  get label(): string {
    const { method, url } = this.#request
    return `the request scope of ${method} ${url.split('?', 1)[0]}`
  }

  askToEnd(): void {}

  abandon(): Promise<void> {
    this.end()
    return this.#ending
  }

  end(): void {
    this.#noteEnd?.()
    this.#noteEnd = undefined
  }
}

/** The scope of one request, with the instances that belong to the request. */
export class RequestScope extends UnitScope {
  override readonly request: Request

  constructor(request: Request, ownerOf: (record: ProviderRecord) => Scope, storage: ScopeStorage | undefined) {
    super(ownerOf, storage)
    this.request = request
  }

  override endedError(): ResolutionError {
    return requestOver()
  }

  override get log(): Logger {
    return this.request.log
  }

  override get signal(): AbortSignal {
    return this.request.signal
  }

  protected override observe(record: ProviderRecord): StepInProgress | undefined {
    return observerOf(this.request)?.begin({ kind: 'provider', name: labelOfRecord(record) }, this.request)
  }

  protected override outcome(): RequestOutcome {
    return outcomeOf(this.request)
  }

  protected override setBeforeEnd(call: () => Promise<void>): void {
    setBeforeHead(this.request, call)
  }
}

function requestOver(): ResolutionError {
  return new ResolutionError('The request is over, and its scope has ended: its handler or hook comes too late.')
}
