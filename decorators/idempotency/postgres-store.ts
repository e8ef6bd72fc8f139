/** A store of idempotency keys in a table of PostgreSQL. */
import { assertKnownOptions } from '../../lib/internal.js'
import type { ClaimResult, IdempotencyStore, KeptReply, KeyClaim } from './store.js'

/** The methods of a client or a pool of `pg` that the store calls. PGlite has the same method. */
export interface PostgresClient {
  query(sql: string, values: unknown[]): Promise<unknown>
}

export interface PostgresStoreOptions {
  /**
   * Returns the client with the open transaction of the current request. The reply is then stored in this transaction, so that the reply
   * and the work of the request are committed together or not at all. Pass a handle: `() => transaction.current`.
   */
  readonly transaction?: () => PostgresClient
  /** The name of the table: letters, digits and underscores, optionally a schema before a dot. Default `idempotency_keys`. */
  readonly table?: string
}

interface Row {
  readonly fingerprint: string
  readonly status: number | null
  readonly headers: string | null
  readonly body: Uint8Array | null
}

/** The most expired rows that a request deletes, and (`SWEEP_INTERVAL`) the time between two such requests, in ms. */
const SWEPT_ROWS = 1_000
const SWEEP_INTERVAL = 60_000

/**
 * A store of idempotency keys in a table of PostgreSQL, which several processes share. Create the table in a migration:
 * ```ts
 * await client.query(PostgresStore.createTable())
 * ```
 * With the option `transaction`, a reply is stored if, and only if, the transaction of its request commits. Later requests delete expired
 * rows.
 */
export class PostgresStore implements IdempotencyStore {
  readonly isTransactional: boolean
  readonly #client: PostgresClient
  readonly #transaction: () => PostgresClient
  readonly #table: string
  #sweptAt = 0

  /**
   * Makes a store.
   * @param client a pool, or a client that is not in a transaction. The application closes it
   * @throws TypeError if the name of the table has other characters, and for an option that does not exist
   */
  constructor(client: PostgresClient, options: PostgresStoreOptions = {}) {
    assertKnownOptions('new PostgresStore(…)', options, ['transaction', 'table'])
    const { transaction, table = 'idempotency_keys' } = options
    this.#client = client
    this.isTransactional = transaction !== undefined
    this.#transaction = transaction ?? (() => client)
    this.#table = nameOfTable(table)
  }

  /**
   * Returns the SQL statement that creates the table if it does not exist. @param table the name of the table; default `idempotency_keys`
   */
  static createTable(table = 'idempotency_keys'): string {
    const name = nameOfTable(table)
    return `CREATE TABLE IF NOT EXISTS ${name} (
  key text PRIMARY KEY,
  fingerprint text NOT NULL,
  owner text NOT NULL,
  expires_at timestamptz NOT NULL,
  status integer,
  headers text,
  body bytea
)`
  }

  async claim(claim: KeyClaim): Promise<ClaimResult> {
    await this.#sweep()
    // A row that is deleted between the two statements is claimed in the next turn.
    for (let turn = 0; turn < 3; turn++) {
      if (await this.#insert(claim)) return { state: 'claimed' }
      const [row] = await this.#rows<Row>(
        this.#client,
        `SELECT fingerprint, status, headers, body FROM ${this.#table} WHERE key = $1 AND expires_at > clock_timestamp()`,
        [claim.key],
      )
      if (row !== undefined) return resultOf(row)
    }
    return { state: 'running', fingerprint: claim.fingerprint }
  }

  /**
   * Reserves a key. If a transaction is storing a reply for the same key, PostgreSQL waits for its end. Returns whether the key was
   * reserved.
   */
  async #insert({ key, fingerprint, owner, lease }: KeyClaim): Promise<boolean> {
    const rows = await this.#rows(
      this.#client,
      `INSERT INTO ${this.#table} AS kept (key, fingerprint, owner, expires_at)
       VALUES ($1, $2, $3, clock_timestamp() + $4::float8 * interval '1 millisecond')
       ON CONFLICT (key) DO UPDATE SET fingerprint = excluded.fingerprint, owner = excluded.owner, expires_at = excluded.expires_at,
         status = NULL, headers = NULL, body = NULL
       WHERE kept.expires_at <= clock_timestamp()
       RETURNING key`,
      [key, fingerprint, owner, lease],
    )
    return rows.length > 0
  }

  async complete({ key, owner }: KeyClaim, { status, headers, body }: KeptReply, ttl: number): Promise<boolean> {
    const rows = await this.#rows(
      this.#transaction(),
      `UPDATE ${this.#table} SET status = $3, headers = $4, body = $5, expires_at = clock_timestamp() + $6::float8 * interval '1 millisecond'
       WHERE key = $1 AND owner = $2 AND status IS NULL RETURNING key`,
      [key, owner, status, JSON.stringify(headers), body ?? null, ttl],
    )
    return rows.length > 0
  }

  async release({ key, owner }: KeyClaim): Promise<void> {
    // A row that another transaction has locked is left to the end of its lease: nothing waits for a lock here.
    await this.#rows(
      this.#client,
      `DELETE FROM ${this.#table} WHERE key IN
         (SELECT key FROM ${this.#table} WHERE key = $1 AND owner = $2 AND status IS NULL FOR UPDATE SKIP LOCKED)`,
      [key, owner],
    )
  }

  async #sweep(): Promise<void> {
    const now = Date.now()
    if (now - this.#sweptAt < SWEEP_INTERVAL) return
    this.#sweptAt = now
    await this.#rows(
      this.#client,
      `DELETE FROM ${this.#table} WHERE key IN
         (SELECT key FROM ${this.#table} WHERE expires_at <= clock_timestamp() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [SWEPT_ROWS],
    )
  }

  async #rows<T>(client: PostgresClient, sql: string, values: unknown[]): Promise<readonly T[]> {
    return ((await client.query(sql, values)) as { readonly rows: readonly T[] }).rows
  }
}

function resultOf({ fingerprint, status, headers, body }: Row): ClaimResult {
  if (status === null) return { state: 'running', fingerprint }
  return { state: 'kept', fingerprint, reply: { status, headers: JSON.parse(headers!) as KeptReply['headers'], body: body ?? undefined } }
}

/** Returns the name of the table, which is inserted into SQL unchanged. @throws TypeError for an invalid name */
function nameOfTable(name: string): string {
  if (/^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?$/i.test(name)) return name
  throw new TypeError(
    `'${name}' is no name for the table of idempotency keys. Use letters, digits and underscores: my_schema.idempotency_keys`,
  )
}
