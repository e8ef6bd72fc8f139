/** The code of docs/how-to/unit-of-work.md. */
// #region transaction
import { Injectable, type RequestOutcome } from 'alcove'

/** The part of a database client that the example needs. A client of `pg` has the same methods. */
export interface Client {
  query(sql: string, values?: readonly unknown[]): Promise<unknown>
  release(): void
}
export abstract class Pool {
  abstract connect(): Promise<Client>
}

@Injectable({ scope: 'request' })
export class Transaction {
  static readonly endsBefore = 'reply'
  #client: Client | undefined
  #begun: Promise<Client> | undefined
  constructor(private readonly pool: Pool) {}

  async query(sql: string, values?: readonly unknown[]) {
    const client = await (this.#begun ??= this.#begin())
    return client.query(sql, values)
  }

  async #begin() {
    const client = (this.#client = await this.pool.connect())
    await client.query('BEGIN')
    return client
  }

  async onRequestEnd({ kind }: RequestOutcome) {
    const client = await this.#begun
    await client?.query(kind === 'completed' ? 'COMMIT' : 'ROLLBACK')
  }

  // Also if the transaction could not begin.
  dispose() {
    this.#client?.release()
  }
}
// #endregion

// #region use
import { Controller, HttpError, Plugin, Post, type RouteRequest } from 'alcove'

const transfer = {
  body: {
    type: 'object',
    required: ['from', 'to', 'amount'],
    properties: { from: { type: 'string' }, to: { type: 'string' }, amount: { type: 'integer', minimum: 1 } },
  },
} as const

@Injectable()
@Controller('/transfers')
export class TransfersController {
  constructor(private readonly transaction: Transaction) {}

  @Post({ status: 201 }, transfer)
  async transfer({ body }: RouteRequest<typeof transfer>) {
    const { from, to, amount } = body
    if (from === to) throw new HttpError(422, 'These are the same account')
    await this.transaction.query('UPDATE accounts SET balance = balance - $1 WHERE name = $2', [amount, from])
    await this.transaction.query('UPDATE accounts SET balance = balance + $1 WHERE name = $2', [amount, to])
    return { moved: amount }
  }
}
// #endregion

// #region plugin
@Plugin({ providers: [Transaction], routes: [TransfersController] })
export class TransfersPlugin {}
// #endregion
