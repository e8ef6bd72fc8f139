/** Events inside an application: tokens that are injected to emit, and that jobs name to be told. */
import { asJson, assertNoOthers, compileInputCheck, type InputCheck } from '../../lib/internal.js'
import { type BootstrappedServer, SERVER } from '../declare/tokens.js'
import type { SqlClient } from './driver.js'
import { createProviderToken, type ProviderToken } from './provider-token.js'
import type { InputOf } from './queue.js'

/** The options of {@link domainEvent}. */
export interface EventOptions<S = unknown> {
  /** The schema of what is emitted, which is an object: JSON Schema, a model or a schema of a library. */
  readonly payload: S
}

/** The options of {@link Emitter.emit}. */
export interface EmitOptions {
  /** For handlers with `when: 'queue'`: the transaction in which their jobs are added, as for `add` of a queue. */
  readonly within?: SqlClient
}

/** An event, as it is injected for its token. */
export interface Emitter<T> {
  readonly name: string
  /**
   * Tells all handlers of the event. The promise is fulfilled when those with `when: 'now'` are over, and the jobs of those with
   * `when: 'queue'` are added.
   * @throws ALC_ERR_JOB_INPUT_INVALID if the payload does not fit the schema of the event; the error of a handler with `when: 'now'`
   */
  emit(payload: T, options?: EmitOptions): Promise<void>
}

/** The token of an event, which is also its provider. Made by {@link domainEvent}. */
export type EventToken<T> = ProviderToken<Emitter<T>>

const events = new WeakMap<object, EventOptions>()

/**
 * Declares an event. The result is a token and its provider: a plugin lists it in `providers`, classes inject it to emit, and classes with
 * `@Job({ on, when })` handle it.
 * ```ts
 * export const REGISTERED = domainEvent('user.registered', {
 *   payload: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
 * })
 *
 * class Accounts {
 *   static readonly inject = [REGISTERED] as const
 *   constructor(private readonly registered: Emitter<{ id: number }>) {}
 *   async register() { await this.registered.emit({ id: 7 }) }
 * }
 * ```
 * An event that nothing emits or that nothing handles is a fault of the wiring. docs/how-to/events.md shows more.
 */
export function domainEvent<const S>(name: string, options: EventOptions<S>): EventToken<InputOf<S>> {
  const make = (own: EventToken<any>, server: BootstrappedServer): Emitter<any> => new DispatchedEvent(own, server)
  const made = createProviderToken<Emitter<InputOf<S>>>(name, [SERVER], make)
  events.set(made, options)
  return made
}

/** Whether {@link domainEvent} made a value. */
export function isEventToken(value: unknown): value is EventToken<any> {
  return value !== null && typeof value === 'object' && events.has(value)
}

/** Returns the options of an event. */
export function eventOptionsOf(token: EventToken<any>): EventOptions {
  return events.get(token)!
}

/**
 * A function that tells the handlers of an event.
 * @param payload as it was emitted. A schema of a library may transform it, so that each handler gets what `check` returns for it
 */
export type Dispatch = (payload: unknown, check: InputCheck, options: EmitOptions) => Promise<void>

/** An event whose handlers are known when the application is ready. */
export class DispatchedEvent implements Emitter<unknown> {
  readonly name: string
  readonly #check: InputCheck
  #dispatch: Dispatch | undefined

  constructor(token: EventToken<any>, server: BootstrappedServer) {
    this.name = token.name
    this.#check = compileInputCheck(server, eventOptionsOf(token).payload, this.#label)
  }

  /** The event in errors. */
  get #label(): string {
    return `the event '${this.name}'`
  }

  /** Sets the function that tells the handlers. */
  connect(dispatch: Dispatch): void {
    this.#dispatch = dispatch
  }

  async emit(payload: unknown, options: EmitOptions = {}): Promise<void> {
    const { within: _within, ...others } = options
    assertNoOthers(`emit of ${this.#label}`, others, ['within'])
    // If the schema refuses the payload, no handler is called.
    await this.#check(payload)
    if (this.#dispatch === undefined)
      throw new TypeError(`The event '${this.name}' was emitted before the application was ready: emit it in onReady or later.`)
    await this.#dispatch(asJson(payload, this.#label), this.#check, options)
  }
}
