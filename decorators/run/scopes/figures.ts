/** The figures of an application that an observer reads, such as open scopes and waiting jobs. Without an observer, nothing is counted. */
import type { ObservedFigures, ObservedQueue } from '../../../lib/index.js'
import { settleWithin } from '../../../lib/internal.js'
import type { JobCounts } from '../../jobs/driver.js'
import type { DrivenQueue } from '../../jobs/queue.js'

/** ms that a store may take to count the jobs of a queue. A client that waits for its store to come back would stop the whole collection. */
const COUNT_LIMIT = 2_000

export class Figures implements ObservedFigures {
  readonly #findQueues: () => Promise<readonly DrivenQueue[]>
  #openScopes = 0

  /** @param findQueues returns all queues of the application, each once */
  constructor(findQueues: () => Promise<readonly DrivenQueue[]>) {
    this.#findQueues = findQueues
  }

  noteOpened(): void {
    this.#openScopes++
  }

  noteEnded(): void {
    this.#openScopes--
  }

  openScopes(): number {
    return this.#openScopes
  }

  async queues(): Promise<ObservedQueue[]> {
    const counted = await Promise.allSettled((await this.#findQueues()).map(count))
    return counted.flatMap((result) => (result.status === 'fulfilled' && result.value !== undefined ? [result.value] : []))
  }
}

/** @throws Error if the store does not answer in time; the error of the driver */
async function count({ name, driver, settings }: DrivenQueue): Promise<ObservedQueue | undefined> {
  const counts = (await settleWithin(COUNT_LIMIT, driver.count(settings), false)) as JobCounts | undefined
  return counts && { name, ...counts }
}
