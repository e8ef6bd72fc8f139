/** The exports of alcove/idempotency: requests that a client can safely send twice, because their work is done only once. */
export { IdempotencyKeyInUse, IdempotencyKeyInvalid, IdempotencyKeyReused } from './errors.js'
export { MemoryStore } from './memory-store.js'
export { Idempotent, IdempotencyPlugin } from './plugin.js'
export { type PostgresClient, PostgresStore, type PostgresStoreOptions } from './postgres-store.js'
export { type RedisCommand, RedisStore } from './redis-store.js'
export { type IdempotencyOptions, keptHeaders } from './settings.js'
export type { ClaimResult, IdempotencyStore, KeptReply, KeyClaim } from './store.js'
