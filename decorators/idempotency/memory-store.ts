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
  /** The size of the stored reply, in bytes. */
  readonly bytes: number
}

/**
 * A store of idempotency keys in the memory of one process. The keys are lost when the process ends, and other processes do not see them.
 * Use this store in tests, and for applications with one process.
 * ```ts
 * const store = new MemoryStore({ maxKeys: 1_000, maxBytes: 8 * 1024 * 1024 })
 * ```
 *
 * If there are more than `maxKeys` keys, or more than `maxBytes` bytes of replies, the oldest stored replies are dropped. A key whose
 * request is running is never dropped.
 */
export class MemoryStore implements IdempotencyStore {
  readonly #entries = new Map<string, Entry>()
  readonly #maxKeys: number
  readonly #maxBytes: number
  #bytes = 0

  /**
   * Makes an empty store.
   * @param options.maxKeys the greatest number of stored keys; default 10,000
   * @param options.maxBytes the greatest size of all stored replies, in bytes; default 67,108,864 (64 MiB). A longer reply is not
   *   stored, and the log says so
   * @throws TypeError for an option that is unknown or not a whole number from 1 on
   */
  constructor(options: { readonly maxKeys?: number; readonly maxBytes?: number } = {}) {
    assertKnownOptions('new MemoryStore(…)', options, ['maxKeys', 'maxBytes'])
    const { maxKeys = 10_000, maxBytes = 67_108_864 } = options
    for (const [name, value] of Object.entries({ maxKeys, maxBytes }))
      if (!Number.isInteger(value) || value < 1) throw new TypeError(`new MemoryStore(…): ${name} must be a whole number from 1 on.`)
    this.#maxKeys = maxKeys
    this.#maxBytes = maxBytes
  }

  async claim({ key, fingerprint, owner, lease }: KeyClaim): Promise<ClaimResult> {
    const now = Date.now()
    const entry = this.#entries.get(key)
    if (entry !== undefined && entry.expires > now)
      return entry.reply === undefined
        ? { state: 'running', fingerprint: entry.fingerprint }
        : { state: 'kept', fingerprint: entry.fingerprint, reply: entry.reply }
    this.#delete(key)
    this.#makeRoom({ keys: this.#maxKeys - 1, bytes: this.#maxBytes })
    if (this.#entries.size >= this.#maxKeys) throw new HttpError(503, 'Too many requests with an Idempotency-Key are running')
    this.#entries.set(key, { fingerprint, owner, expires: now + lease, reply: undefined, bytes: 0 })
    return { state: 'claimed' }
  }

  async complete({ key, owner }: KeyClaim, reply: KeptReply, ttl: number): Promise<boolean> {
    const entry = this.#entries.get(key)
    if (entry?.owner !== owner || entry.reply !== undefined) return false
    const bytes = (reply.body?.byteLength ?? 0) + JSON.stringify(reply.headers).length
    this.#delete(key)
    if (bytes > this.#maxBytes) throw new Error(`The reply has ${bytes} bytes, and maxBytes of the MemoryStore is ${this.#maxBytes}.`)
    this.#makeRoom({ keys: this.#maxKeys, bytes: this.#maxBytes - bytes })
    this.#entries.set(key, { ...entry, expires: Date.now() + ttl, reply, bytes })
    this.#bytes += bytes
    return true
  }

  async release({ key, owner }: KeyClaim): Promise<void> {
    const entry = this.#entries.get(key)
    if (entry?.owner === owner && entry.reply === undefined) this.#delete(key)
  }

  #delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }

  /** Drops the oldest stored replies, and keys whose time is over, until no more than so many keys and bytes are left. */
  #makeRoom(limit: { readonly keys: number; readonly bytes: number }): void {
    const now = Date.now()
    for (const [key, { expires, reply }] of this.#entries) {
      if (this.#entries.size <= limit.keys && this.#bytes <= limit.bytes) return
      if (reply !== undefined || expires <= now) this.#delete(key)
    }
  }
}
