/** The interface of stores of idempotency keys. */

/** The stored reply of a request, as it was before the hooks `onSend`, which run again when the reply is replayed. */
export interface KeptReply {
  readonly status: number
  /** The headers. Their member `idempotency-replayed` is `text` if the payload was a text, not bytes. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The payload; `undefined` for a reply without a body. */
  readonly body: Uint8Array | undefined
}

/** The attempt of a request to reserve its idempotency key, so that no other request with the key runs. */
export interface KeyClaim {
  /** The digest of the caller and the idempotency key: 64 hexadecimal digits. */
  readonly key: string
  /** The digest of the request's method, URL, params, query and body: 64 hexadecimal digits. */
  readonly fingerprint: string
  /** A text that identifies this request. Only the request that reserved a key can complete or release the key. */
  readonly owner: string
  /** The time, in ms, after which another request may take over the key if the process of this request has died. */
  readonly lease: number
}

/** The result of reserving a key: this request may run (`claimed`), another request is running, or a reply is stored. */
export type ClaimResult =
  | { readonly state: 'claimed' }
  | { readonly state: 'running'; readonly fingerprint: string }
  | { readonly state: 'kept'; readonly fingerprint: string; readonly reply: KeptReply }

/**
 * A store of idempotency keys: {@link MemoryStore}, {@link RedisStore}, {@link PostgresStore}, or another implementation. Each method is
 * atomic: if several requests try to reserve a key, only one gets `claimed`.
 */
export interface IdempotencyStore {
  /**
   * Whether {@link IdempotencyStore.complete} writes in the transaction of the request, so that the reply is stored if, and only if, this
   * transaction commits. If true, `complete` is called before the end of the transaction, otherwise after it.
   */
  readonly isTransactional?: boolean
  /** Reserves a key for a request, unless a request with this key is running or its reply is stored. */
  claim(claim: KeyClaim): Promise<ClaimResult>
  /**
   * Stores the reply of the request that reserved a key.
   * @param ttl how long the reply is stored, in ms
   * @returns whether the key was still reserved for this request
   */
  complete(claim: KeyClaim, reply: KeptReply, ttl: number): Promise<boolean>
  /** Releases a key if it is still reserved for this request. The next request with this key can then run. */
  release(claim: KeyClaim): Promise<void>
}
