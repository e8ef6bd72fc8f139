/** A pool that keeps the first word of each statement, for the tests of the pages on transactions. */
import { type Client, Pool } from './unit-of-work.js'

export class Recorded extends Pool implements Client {
  readonly queries: string[] = []
  /** The statement that fails. */
  failing: string | undefined
  async connect() {
    return this
  }
  async query(sql: string) {
    this.queries.push(sql.split(' ')[0]!)
    if (sql === this.failing) throw new Error(`${sql} failed`)
  }
  release() {
    this.queries.push('release')
  }
}
