/** What a store of idempotency keys does. */

/** The reply of a request, as it is kept: before the hooks `onSend`, which run again when it is replayed. */
export interface KeptReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The payload; `undefined` for a reply without a body. */
  readonly body: Uint8Array | undefined
}

/** A request that wants to be the one that runs with its key. */
export interface KeyClaim {
  /** The digest of the caller and the key: 64 hexadecimal digits. */
  readonly key: string
  /** The digest of what the request asks for: 64 hexadecimal digits. */
  readonly fingerprint: string
  /** A text that no other request has. Only the owner of a key can complete or release it. */
  readonly owner: string
  /** The ms after which another request may take the key over, if the process of this one has ended without a word. */
  readonly lease: number
}

/** What became of a claim: the request may run, another one is running, or its reply is kept. */
export type ClaimResult =
  | { readonly state: 'claimed' }
  | { readonly state: 'running'; readonly fingerprint: string }
  | { readonly state: 'kept'; readonly fingerprint: string; readonly reply: KeptReply }

/**
 * A store of idempotency keys: {@link MemoryStore}, {@link RedisStore}, {@link PostgresStore}, or your own. Each method is one atomic step:
 * of several claims of one key, one is answered `claimed`.
 */
export interface IdempotencyStore {
  /**
   * Whether {@link IdempotencyStore.complete} writes in the transaction of the request, so that the reply is kept if, and only if, that
   * transaction commits. It is then called before the transaction ends, otherwise after it.
   */
  readonly isTransactional?: boolean
  /** Takes a key, unless a request with this key is running or its reply is kept. */
  claim(claim: KeyClaim): Promise<ClaimResult>
  /**
   * Keeps the reply of the request that owns a key.
   * @param ttl the ms for which it is kept
   * @returns whether the request still owned the key
   */
  complete(claim: KeyClaim, reply: KeptReply, ttl: number): Promise<boolean>
  /** Gives a key back, if the request still owns it: the next request with this key runs. */
  release(claim: KeyClaim): Promise<void>
}
