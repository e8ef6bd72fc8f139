/** A store of idempotency keys in the memory of one process. */
import { HttpError } from '../../lib/index.js'
import { assertKnownOptions } from '../../lib/internal.js'
import type { ClaimResult, IdempotencyStore, KeptReply, KeyClaim } from './store.js'

interface Entry {
  readonly fingerprint: string
  readonly owner: string
  /** The time, in ms since 1970, at which the reservation of the key or the stored reply expires. */
  readonly expires: number
  readonly reply: KeptReply | undefined
}

/**
 * A store of idempotency keys in the memory of one process. The keys are lost when the process ends, and other processes do not see them.
 * Use this store in tests, and for applications with one process.
 *
 * At most `maxKeys` keys are stored. If there are more, the oldest stored reply is dropped; a key whose request is running is never
 * dropped.
 */
export class MemoryStore implements IdempotencyStore {
  readonly #entries = new Map<string, Entry>()
  readonly #maxKeys: number

  /** Makes an empty store. @param options.maxKeys the greatest number of stored keys; default 10,000 */
  constructor(options: { readonly maxKeys?: number } = {}) {
    assertKnownOptions('new MemoryStore(…)', options, ['maxKeys'])
    const { maxKeys = 10_000 } = options
    this.#maxKeys = maxKeys
  }

  async claim({ key, fingerprint, owner, lease }: KeyClaim): Promise<ClaimResult> {
    const now = Date.now()
    const entry = this.#entries.get(key)
    if (entry !== undefined && entry.expires > now)
      return entry.reply === undefined
        ? { state: 'running', fingerprint: entry.fingerprint }
        : { state: 'kept', fingerprint: entry.fingerprint, reply: entry.reply }
    if (entry === undefined) this.#makeRoom(now)
    this.#entries.delete(key)
    this.#entries.set(key, { fingerprint, owner, expires: now + lease, reply: undefined })
    return { state: 'claimed' }
  }

  async complete({ key, owner }: KeyClaim, reply: KeptReply, ttl: number): Promise<boolean> {
    const entry = this.#entries.get(key)
    if (entry?.owner !== owner || entry.reply !== undefined) return false
    this.#entries.set(key, { ...entry, expires: Date.now() + ttl, reply })
    return true
  }

  async release({ key, owner }: KeyClaim): Promise<void> {
    const entry = this.#entries.get(key)
    if (entry?.owner === owner && entry.reply === undefined) this.#entries.delete(key)
  }

  /** Drops the oldest stored reply if the store is full. @throws HttpError 503 if all keys belong to running requests */
  #makeRoom(now: number): void {
    if (this.#entries.size < this.#maxKeys) return
    let oldest: string | undefined
    for (const [key, { expires, reply }] of this.#entries) {
      if (expires <= now) this.#entries.delete(key)
      else if (reply !== undefined) oldest ??= key
    }
    if (this.#entries.size < this.#maxKeys) return
    if (oldest === undefined) throw new HttpError(503, 'Too many requests with an Idempotency-Key are running')
    this.#entries.delete(oldest)
  }
}
