import { Injectable, type RequestOutcome, type SqlClient, token } from 'alcove'

/** A client of the database, with an open connection of its own. */
export interface Client extends SqlClient {
  release(): void
}
export const CONNECT = token<() => Promise<Client>>('CONNECT')

/** The transaction of a request, as in samples/how-to/unit-of-work.ts. */
@Injectable({ scope: 'request' })
export class Transaction {
  static readonly inject = [CONNECT] as const
  static readonly endsBefore = 'reply'
  #client: Client | undefined
  #begun: Promise<Client> | undefined
  constructor(private readonly connect: () => Promise<Client>) {}

  async query(sql: string, values?: unknown[]) {
    const client = await (this.#begun ??= this.#begin())
    return client.query(sql, values)
  }
  async #begin() {
    const client = (this.#client = await this.connect())
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
