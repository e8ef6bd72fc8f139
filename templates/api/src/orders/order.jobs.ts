import { Injectable, Job, type JobRun, queue } from 'alcove'
import { Mailer } from '../mailer.js'
import { Orders } from './orders.js'

/** Confirmations to send. A job is added in the transaction that makes the order. */
export const CONFIRMATIONS = queue('order-confirmations', {
  input: { type: 'object', required: ['orderId'], properties: { orderId: { type: 'integer' } } },
  retry: { limit: 5, delay: 10_000, backoff: 'exponential' },
})

@Injectable()
@Job({ queue: CONFIRMATIONS, concurrency: 5 })
export class SendConfirmation {
  constructor(
    private readonly orders: Orders,
    private readonly mailer: Mailer,
  ) {}

  async run({ input: { orderId } }: JobRun<typeof CONFIRMATIONS>): Promise<void> {
    await this.mailer.send(await this.orders.emailOf(orderId), `Your order ${orderId}`)
  }
}

/** Logs the orders of the last day, every morning. One of the replicas does it. */
@Injectable()
@Job({ cron: '0 6 * * *', timezone: 'UTC' })
export class ReportOrders {
  constructor(private readonly orders: Orders) {}

  async run({ log }: JobRun<undefined>): Promise<number> {
    const count = await this.orders.countOfLastDay()
    log.info({ count }, 'orders of the last day')
    return count
  }
}
