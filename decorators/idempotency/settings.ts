/** The settings of idempotency keys, from the options of the plugin's import. */
import { errorCodes, type Request } from '../../lib/index.js'
import { pluginOptions } from '../declare/tokens.js'
import type { IdempotencyStore } from './store.js'

/** The options of {@link IdempotencyPlugin}. */
export interface IdempotencyOptions {
  /** The store of keys and replies: {@link MemoryStore}, {@link RedisStore}, {@link PostgresStore}, or another implementation. */
  readonly store: IdempotencyStore
  /**
   * A function that returns the sender of a request, such as the id of the user, so that different callers can use the same key
   * independently. The function is called after all guards. `'anyone'`: all callers share their keys, so that a caller who guesses another
   * caller's key gets that caller's reply.
   */
  readonly caller: ((request: any) => string | Promise<string>) | 'anyone'
  /** How long a reply is stored, in ms. Default: 86,400,000, a day. */
  readonly ttl?: number
  /**
   * The time, in ms, after which a key can be used again although its request has not ended, because its process may have died. Must be
   * longer than any handler takes. Default: 90,000, which is the default `handlerTimeout` plus the 30 s that the server then waits for the
   * handler.
   */
  readonly lease?: number
  /** The names of the headers that are stored with a reply, in addition to those that describe its payload. Default: {@link keptHeaders}. */
  readonly headers?: readonly string[]
  /**
   * The greatest size of a stored payload, in bytes. Default: 1,048,576. If a payload is larger, the reply is 500, and nothing is stored.
   */
  readonly maxReplyBytes?: number
}

/** The headers without which a payload cannot be read. They are stored with each reply. */
const payloadHeaders: readonly string[] = ['content-type', 'content-encoding']

/**
 * The headers that are stored with a reply by default, beside `content-type` and `content-encoding`, which are always stored. Other headers,
 * such as `set-cookie`, are only in the first reply.
 */
export const keptHeaders: readonly string[] = ['content-language', 'content-location', 'etag', 'last-modified', 'link', 'location']

const DAY = 86_400_000
/** The longest time that timers, Redis and PostgreSQL can all count, in ms: ten years. */
const MAX_TIME = 3_650 * DAY

/** The checked options of the plugin, with defaults filled in. One instance serves the context that imports the plugin. */
export class IdempotencySettings {
  static readonly inject = [pluginOptions<IdempotencyOptions>()] as const
  readonly store: IdempotencyStore
  readonly ttl: number
  readonly lease: number
  readonly headers: readonly string[]
  readonly maxReplyBytes: number
  readonly #caller: IdempotencyOptions['caller']

  /** Checks the options. @throws ALC_ERR_IDEMPOTENCY if an option is missing or has a wrong type */
  constructor(options: IdempotencyOptions) {
    const { store, caller, ttl = DAY, lease = 90_000, headers = keptHeaders, maxReplyBytes = 1_048_576, ...others } = Object(options)
    const known = ['store', 'caller', 'ttl', 'lease', 'headers', 'maxReplyBytes', 'prefix']
    const isTime = (value: unknown): boolean => Number.isInteger(value) && (value as number) > 0 && (value as number) <= MAX_TIME
    const problems = [
      ...(['claim', 'complete', 'release'].some((name) => typeof store?.[name] !== 'function')
        ? ['store must have claim, complete and release, as new MemoryStore() has']
        : []),
      ...(typeof caller === 'function' || caller === 'anyone'
        ? []
        : ["caller must be a function that returns who sends a request, or 'anyone' if all callers may share their keys"]),
      ...Object.entries({ ttl, lease }).flatMap(([name, value]) => (isTime(value) ? [] : [`${name} must be a number of ms from 1 on`])),
      ...(Array.isArray(headers) && headers.every((name) => typeof name === 'string') ? [] : ['headers must be a list of names']),
      ...(Number.isInteger(maxReplyBytes) && maxReplyBytes > 0 ? [] : ['maxReplyBytes must be a number of bytes from 1 on']),
      ...Object.keys(others).flatMap((name) => (known.includes(name) ? [] : [`there is no option '${name}'`])),
    ]
    if (problems.length > 0)
      throw new errorCodes.ALC_ERR_IDEMPOTENCY('use(IdempotencyPlugin, …)', `has options that cannot be used: ${problems.join('; ')}`)
    this.store = store
    this.ttl = ttl
    this.lease = lease
    this.headers = [...new Set([...payloadHeaders, ...headers.map((name: string) => name.toLowerCase())])]
    this.maxReplyBytes = maxReplyBytes
    this.#caller = caller
  }

  /** Returns the sender of a request, by the option `caller`. @throws ALC_ERR_IDEMPOTENCY if the function returns no sender */
  async callerOf(request: Request, place: string): Promise<string> {
    if (this.#caller === 'anyone') return ''
    const caller = await this.#caller(request)
    if (typeof caller === 'string' && caller !== '') return caller
    throw new errorCodes.ALC_ERR_IDEMPOTENCY(
      place,
      'does not know who sent the request: the option caller must return a text that is not empty',
    )
  }
}
