/** The figures of an application that an observer reads, such as open scopes and waiting jobs. Without an observer, nothing is counted. */
import type { ObservedFigures, ObservedQueue } from '../../../lib/index.js'
import type { DrivenQueue } from '../../jobs/queue.js'

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

async function count({ name, driver, settings }: DrivenQueue): Promise<ObservedQueue | undefined> {
  const counts = await driver.count(settings)
  return counts && { name, ...counts }
}
