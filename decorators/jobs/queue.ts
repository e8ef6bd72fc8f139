/** Queues: a class injects the queue's token to add jobs, and a job class names the token to run them. */
import { errorCodes, type Observer, type SchemaRequest, type Server } from '../../lib/index.js'
import {
  asJson,
  assertKnownOptions,
  compileInputCheck,
  createHash,
  type InputCheck,
  isPlainObject,
  observerOfServer,
  randomUUID,
} from '../../lib/internal.js'
import { type BootstrappedServer, optional, SERVER, type Token } from '../declare/tokens.js'
import { JobDriver, type QueueSettings, type RetryOptions, type SqlClient } from './driver.js'
import { memoryDriverOf } from './memory-driver.js'
import { createProviderToken, type ProviderToken } from './provider-token.js'

/** The options of {@link queue}. */
export interface QueueOptions<S = unknown> {
  /**
   * The schema of a job's input, which is an object: JSON Schema, a model or a schema of a library. The input is checked when a job is
   * added and when a job runs.
   */
  readonly input: S
  /** How often and when a failed job is tried again. Default: never. */
  readonly retry?: RetryOptions
  /** The time that one attempt may take, in ms. After this time the attempt counts as failed. Default 60,000. */
  readonly timeout?: number
  /**
   * The queue to which a job is moved after its last attempt has failed. Default: the driver keeps the job as failed; the memory driver
   * drops it.
   */
  readonly deadLetter?: QueueToken<any>
}

/** The options of {@link Queue.add}. */
export interface AddOptions {
  /** The time until the job may start, in ms. Default 0, as for a negative number. */
  readonly delay?: number
  /** A text that identifies the job: no second job with this key is added as long as the queue remembers the first. */
  readonly key?: string
  /**
   * A database client with an open transaction and a method `query(sql, values)`: the job exists if, and only if, this transaction commits.
   * The driver must store jobs in the same database.
   */
  readonly within?: SqlClient
}

/** A queue, as a class gets it by injecting the queue's token. */
export interface Queue<T> {
  readonly name: string
  /**
   * Adds a job to the queue.
   * @returns the id of the job, which `run` gets too
   * @throws ALC_ERR_JOB_INPUT_INVALID if the input does not fit the schema of the queue; TypeError for an invalid option
   */
  add(input: T, options?: AddOptions): Promise<string>
}

/** The token of a queue, which is also its provider. {@link queue} makes it. */
export type QueueToken<T> = ProviderToken<Queue<T>>

/** The type of a job's input, from the schema `S`. */
export type InputOf<S> = SchemaRequest<{ body: S }>['body']

/** The default of the option `timeout`, in ms. */
export const DEFAULT_TIMEOUT = 60_000

/** The defaults of the options of queues and of scheduled jobs. */
const queueDefaults = { retry: { limit: 0, delay: 1_000, backoff: 'fixed' }, timeout: DEFAULT_TIMEOUT } as const

/**
 * The property of a stored input that contains the trace context of the code which added the job. Only applications with the option
 * `telemetry` write this property.
 */
const TRACE = 'alcove.trace'

const queues = new WeakMap<object, QueueOptions>()

/**
 * Declares a queue of jobs. The result is a token and its provider: a plugin lists it in `providers`, classes inject it to add jobs, and a
 * class with `@Job({ queue })` runs them.
 * ```ts
 * export const MAILS = queue('mails', {
 *   input: { type: 'object', required: ['to'], properties: { to: { type: 'string', format: 'email' } } },
 *   retry: { limit: 3, delay: 10_000, backoff: 'exponential' },
 * })
 *
 * class Users {
 *   static readonly inject = [MAILS] as const
 *   constructor(private readonly mails: Queue<{ to: string }>) {}
 *   async register(to: string) { await this.mails.add({ to }) }
 * }
 * ```
 * The nearest visible {@link JobDriver} stores the jobs; without a driver the jobs are in memory. docs/how-to/schedule-and-queue.md shows
 * more.
 */
export function queue<const S>(name: string, options: QueueOptions<S>): QueueToken<InputOf<S>> {
  const deadLetter: readonly Token<any>[] = options?.deadLetter === undefined ? [] : [options.deadLetter]
  const make = async (own: QueueToken<any>, driver: JobDriver | undefined, server: BootstrappedServer): Promise<Queue<any>> => {
    const driven = new DrivenQueue(own, driver, server)
    await driven.driver.declare(driven.settings)
    return driven
  }
  const made = createProviderToken<Queue<InputOf<S>>>(name, [optional(JobDriver), SERVER, ...deadLetter], make)
  queues.set(made, options)
  return made
}

/** Whether a value is a token that {@link queue} made. */
export function isQueueToken(value: unknown): value is QueueToken<any> {
  return value !== null && typeof value === 'object' && queues.has(value)
}

/** Returns the options of a queue's token; `undefined` if the value is not such a token. */
export function queueOptionsOf(token: unknown): QueueOptions | undefined {
  return token !== null && typeof token === 'object' ? queues.get(token) : undefined
}

/**
 * Compiles the check of the input of a queue's jobs; returns `undefined` for a token that is no queue.
 * @throws ALC_ERR_SCH_VALIDATION_BUILD, ALC_ERR_SCH_COMPILER_MISSING
 */
export function compileQueueCheck(token: unknown, server: Server): InputCheck | undefined {
  const options = queueOptionsOf(token)
  return options && compileInputCheck(server, options.input, labelOf(token as QueueToken<any>))
}

/** Returns the name of a queue in error messages. */
function labelOf({ name }: { readonly name: string }): string {
  return `the queue '${name}'`
}

/** Returns the settings of a queue, with defaults filled in. */
function settingsOf(name: string, { retry, timeout = queueDefaults.timeout, deadLetter }: QueueOptions): QueueSettings {
  return { name, retry: { ...queueDefaults.retry, ...retry }, timeout, deadLetter: deadLetter?.name }
}

/** The provided value of a queue's token: a queue with the driver that stores its jobs. */
export class DrivenQueue implements Queue<unknown> {
  readonly settings: QueueSettings
  readonly driver: JobDriver
  /** Checks the input of a job by the schema of the queue. */
  readonly check: InputCheck
  /** Whether the jobs are stored only in the memory of this process. */
  readonly isInMemory: boolean
  readonly #observer: Observer | undefined

  constructor(token: QueueToken<any>, driver: JobDriver | undefined, server: BootstrappedServer) {
    const options = queueOptionsOf(token)!
    this.settings = settingsOf(token.name, options)
    this.driver = driver ?? memoryDriverOf(server)
    this.isInMemory = driver === undefined
    this.#observer = observerOfServer(server)
    this.check = compileQueueCheck(token, server)!
  }

  /** The name of the queue in error messages. */
  get label(): string {
    return labelOf(this)
  }

  get name(): string {
    return this.settings.name
  }

  async add(input: unknown, options: AddOptions = {}): Promise<string> {
    assertKnownOptions(`add of ${this.label}`, options, ['delay', 'key', 'within'])
    const { delay = 0, key, within } = options
    if (!Number.isFinite(delay))
      throw new TypeError(`The delay of a job for ${this.label} must be a number of ms, and is ${String(delay)}.`)
    await this.check(input)
    // A library may have transformed what it checked. The input is checked once more when the job is done.
    const json = asJson(input, this.label)
    if (!isPlainObject(json)) throw new errorCodes.ALC_ERR_JOB_INPUT_INVALID(this.label, 'input must be an object')
    if (TRACE in json)
      throw new errorCodes.ALC_ERR_JOB_INPUT_INVALID(
        this.label,
        `the property '${TRACE}' is reserved for the trace of the job: give it another name`,
      )
    const id = key === undefined ? randomUUID() : uuidOf(`${this.name}\n${key}`)
    const trace = this.#observer?.carry?.()
    await this.driver.add(this.settings, { id, input: trace === undefined ? json : { ...json, [TRACE]: trace }, delay, within })
    return id
  }

  /**
   * Calls a function with the input of a job, in the trace of the code that added the job.
   * @param stored the input as it was stored, which may contain the trace context
   */
  resume<T>(stored: unknown, call: (input: unknown) => T): T {
    if (!isPlainObject(stored) || !(TRACE in stored)) return call(stored)
    const { [TRACE]: trace, ...input } = stored
    if (this.#observer?.resume === undefined || !isPlainObject(trace)) return call(input)
    return this.#observer.resume(trace as Record<string, string>, () => call(input))
  }
}

/** Returns a UUID (version 8, RFC 9562 §5.8) that is always the same for the same text. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest()
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
