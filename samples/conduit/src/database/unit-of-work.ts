/** The transaction of a request. */
import { setTimeout as wait } from 'node:timers/promises'
import { Injectable, type Next, type Request, type RequestOutcome, type SqlClient } from 'alcove'
import { CompiledQuery, type ControlledTransaction } from 'kysely'
import { Database } from './database.js'
import type { Tables } from './tables.js'

type Begun = ControlledTransaction<Tables>

/**
 * The transaction of a request, which begins when it is first asked for. It commits before the reply is sent, and is rolled back if the
 * request fails. It is serializable: what it has read is still so when it commits, or else it fails.
 */
@Injectable({ scope: 'request' })
export class UnitOfWork implements SqlClient {
  static readonly endsBefore = 'reply'
  #begun: Promise<Begun> | undefined
  constructor(private readonly db: Database) {}

  begin(): Promise<Begun> {
    return (this.#begun ??= this.db.startTransaction().setIsolationLevel('serializable').execute())
  }

  /** For jobs that are added within the transaction. */
  async query(text: string, values: unknown[] = []) {
    return (await this.begin()).executeQuery(CompiledQuery.raw(text, values))
  }

  async onRequestEnd({ kind }: RequestOutcome): Promise<void> {
    await (kind === 'completed' ? this.commit() : this.rollback())
  }

  /** @throws the error of the database if it cannot commit; then the transaction is rolled back */
  async commit(): Promise<void> {
    const begun = await this.#end()
    if (begun === undefined) return
    try {
      await begun.commit().execute()
    } catch (error) {
      await release(begun)
      throw error
    }
  }

  async rollback(): Promise<void> {
    const begun = await this.#end()
    if (begun !== undefined) await release(begun)
  }

  /** Takes the transaction, if there is one: the next use begins another. */
  #end(): Promise<Begun | undefined> {
    const begun = this.#begun
    this.#begun = undefined
    return Promise.resolve(begun).catch(() => undefined)
  }
}

// #region retry
/** How often work is done at most. */
const MAX_ATTEMPTS = 10

/**
 * Does work and commits. If the transaction conflicts with another one, the work is done again in a new transaction.
 * @param noteRetry is called before that
 */
export async function retryConflicts<T>(
  unit: UnitOfWork,
  work: () => Promise<T>,
  noteRetry: (error: unknown, attempt: number) => void,
): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      const result = await work()
      await unit.commit()
      return result
    } catch (error) {
      await unit.rollback()
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error
      noteRetry(error, attempt)
      // At random, so that two requests do not meet again.
      await wait(Math.random() * 5 * 2 ** attempt) // ms
    }
}

/**
 * `@Hook('around', RetryConflicts)`: the handler may be called again if its transaction conflicts with another one. It must have no effects
 * outside of the transaction. The transaction commits when the handler has returned, because the commit may be what fails.
 */
@Injectable()
export class RetryConflicts {
  constructor(private readonly unit: UnitOfWork) {}

  around({ log, signal }: Request, next: Next): Promise<unknown> {
    const handle = async (): Promise<unknown> => {
      const result = await next()
      // The client has left, or has got 503 because the handler took too long.
      signal.throwIfAborted()
      return result
    }
    return retryConflicts(this.unit, handle, (err, attempt) => log.info({ err, attempt }, 'a conflict: the handler is called again'))
  }
}
// #endregion

/** Ends a transaction that is not to commit. Its connection may be lost, and the transaction with it. */
async function release(begun: Begun): Promise<void> {
  await begun
    .rollback()
    .execute()
    .catch(() => {})
}

/** Of PostgreSQL: serialization_failure and deadlock_detected. The other transaction commits, so the same work can succeed later. */
const conflicts: ReadonlySet<unknown> = new Set(['40001', '40P01'])

/** Whether a transaction has failed because of another one at the same time. */
export function isConflict(error: unknown): boolean {
  return conflicts.has((error as { code?: unknown } | null | undefined)?.code)
}
