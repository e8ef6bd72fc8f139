/** The settings of idempotency keys, which the plugin's import gives. */
import { errorCodes, type Request } from '../../lib/index.js'
import { pluginOptions } from '../declare/tokens.js'
import type { IdempotencyStore } from './store.js'

/** The options of {@link IdempotencyPlugin}. */
export interface IdempotencyOptions {
  /** The store that keeps the keys: {@link MemoryStore}, {@link RedisStore}, {@link PostgresStore}, or your own. */
  readonly store: IdempotencyStore
  /**
   * Returns who sends a request, such as the id of the user: each caller has keys of its own. It is called after all guards. `'anyone'`: all
   * callers share their keys, so that a caller who guesses the key of another gets the other's reply.
   */
  readonly caller: ((request: any) => string | Promise<string>) | 'anyone'
  /** The ms for which a reply is kept. Default: 86,400,000, a day. */
  readonly ttl?: number
  /**
   * The ms after which a key can be used again although its request has not ended, because its process may have. It must be longer than any
   * handler takes. Default: 90,000, the default `handlerTimeout` and the 30 s that a handler is waited for after it.
   */
  readonly lease?: number
  /** The names of the headers that are kept with a reply. Default: {@link keptHeaders}. */
  readonly headers?: readonly string[]
  /** The most bytes that the payload of a reply may have. Default: 1,048,576. A reply with more is a 500, and nothing is kept. */
  readonly maxReplyBytes?: number
}

/** The headers that are kept with a reply by default. Others, such as `set-cookie`, are only in the first reply. */
export const keptHeaders: readonly string[] = [
  'content-type',
  'content-language',
  'content-location',
  'etag',
  'last-modified',
  'link',
  'location',
]

const DAY = 86_400_000
/** The longest time that timers, Redis and PostgreSQL all can count (ms): ten years. */
const MAX_TIME = 3_650 * DAY

/** The settings, checked and complete. One instance serves the context that imports the plugin. */
export class IdempotencySettings {
  static readonly inject = [pluginOptions<IdempotencyOptions>()] as const
  readonly store: IdempotencyStore
  readonly ttl: number
  readonly lease: number
  readonly headers: readonly string[]
  readonly maxReplyBytes: number
  readonly #caller: IdempotencyOptions['caller']

  /** @throws ALC_ERR_IDEMPOTENCY if an option is missing or of the wrong kind */
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
    this.headers = headers.map((name: string) => name.toLowerCase())
    this.maxReplyBytes = maxReplyBytes
    this.#caller = caller
  }

  /** Returns who sends a request. @throws ALC_ERR_IDEMPOTENCY if the function does not know */
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
