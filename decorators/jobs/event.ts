/** Events inside an application: a class injects the event's token to emit the event, and jobs name the token to handle it. */
import type { Server } from '../../lib/index.js'
import { asJson, assertKnownOptions, compileInputCheck, type InputCheck } from '../../lib/internal.js'
import { type BootstrappedServer, SERVER } from '../declare/tokens.js'
import type { SqlClient } from './driver.js'
import { createProviderToken, type ProviderToken } from './provider-token.js'
import type { InputOf } from './queue.js'

/** The options of {@link domainEvent}. */
export interface EventOptions<S = unknown> {
  /** The schema of the event's payload, which is an object: JSON Schema, a model or a schema of a library. */
  readonly payload: S
}

/** The options of {@link Emitter.emit}. */
export interface EmitOptions {
  /** The transaction in which the jobs of handlers with `when: 'queue'` are added, as for `add` of a queue. */
  readonly within?: SqlClient
}

/** An event, as a class gets it by injecting the event's token. */
export interface Emitter<T> {
  readonly name: string
  /**
   * Emits the event to all its handlers. The promise is fulfilled when the handlers with `when: 'now'` have finished and the jobs of the
   * handlers with `when: 'queue'` are added.
   * @throws ALC_ERR_JOB_INPUT_INVALID if the payload does not fit the schema of the event; the error of a handler with `when: 'now'`
   */
  emit(payload: T, options?: EmitOptions): Promise<void>
}

/** The token of an event, which is also its provider. {@link domainEvent} makes it. */
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
 * An event without an emitter or without a handler is a fault of the wiring. docs/how-to/events.md shows more.
 */
export function domainEvent<const S>(name: string, options: EventOptions<S>): EventToken<InputOf<S>> {
  const make = (own: EventToken<any>, server: BootstrappedServer): Emitter<any> => new DispatchedEvent(own, server)
  const made = createProviderToken<Emitter<InputOf<S>>>(name, [SERVER], make)
  events.set(made, options)
  return made
}

/** Whether a value is a token that {@link domainEvent} made. */
export function isEventToken(value: unknown): value is EventToken<any> {
  return value !== null && typeof value === 'object' && events.has(value)
}

/** Returns the options of an event. */
export function eventOptionsOf(token: EventToken<any>): EventOptions {
  return events.get(token)!
}

/**
 * Compiles the check of an event's payload; returns `undefined` for a token that is no event.
 * @throws ALC_ERR_SCH_VALIDATION_BUILD, ALC_ERR_SCH_COMPILER_MISSING
 */
export function compileEventCheck(token: unknown, server: Server): InputCheck | undefined {
  return isEventToken(token) ? compileInputCheck(server, eventOptionsOf(token).payload, labelOf(token)) : undefined
}

/** Returns the name of an event in error messages. */
function labelOf({ name }: { readonly name: string }): string {
  return `the event '${name}'`
}

/**
 * A function that passes an emitted event to its handlers.
 * @param payload the payload as it was emitted. A schema of a library may transform the payload, so each handler gets a result of `check`
 */
export type Dispatch = (payload: unknown, check: InputCheck, options: EmitOptions) => Promise<void>

/** The provided value of an event's token. The handlers are connected when the application is ready. */
export class DispatchedEvent implements Emitter<unknown> {
  readonly name: string
  readonly #check: InputCheck
  #dispatch: Dispatch | undefined

  constructor(token: EventToken<any>, server: BootstrappedServer) {
    this.name = token.name
    this.#check = compileEventCheck(token, server)!
  }

  /** The name of the event in error messages. */
  get #label(): string {
    return labelOf(this)
  }

  /** Sets the function that passes the event to its handlers. */
  connect(dispatch: Dispatch): void {
    this.#dispatch = dispatch
  }

  async emit(payload: unknown, options: EmitOptions = {}): Promise<void> {
    assertKnownOptions(`emit of ${this.#label}`, options, ['within'])
    // If the schema refuses the payload, no handler is called.
    await this.#check(payload)
    if (this.#dispatch === undefined)
      throw new TypeError(`The event '${this.name}' was emitted before the application was ready: emit it in onReady or later.`)
    await this.#dispatch(asJson(payload, this.#label), this.#check, options)
  }
}
