/** How does one application tell others what has happened? By an event, of which each of them gets a copy into its own queue. */
// #region publish
import { Controller, Injectable, Plugin, Post, type RouteRequest } from 'alcove'
import { Boss, QueuePlugin } from './queue.js'

const order = { body: { type: 'object', required: ['product'], properties: { product: { type: 'string' } } } } as const

@Injectable()
@Controller('/orders')
class OrdersController {
  constructor(private readonly boss: Boss) {}

  @Post({ status: 202 }, order)
  async create({ body }: RouteRequest<typeof order>) {
    await this.boss.publish('order.created', { product: body.product })
  }
}

@Plugin({ imports: [QueuePlugin], routes: [OrdersController] })
export class OrdersApp {}
// #endregion

// #region subscribe
import { Job, type JobRun, queue } from 'alcove'

export const SALES = queue('stock.order-created', {
  input: { type: 'object', required: ['product'], properties: { product: { type: 'string' } } },
})

export class Stock {
  readonly sold: string[] = []
}

@Job({ queue: SALES })
class TakeFromStock {
  static readonly inject = [Stock] as const
  constructor(private readonly stock: Stock) {}

  run({ input }: JobRun<typeof SALES>) {
    this.stock.sold.push(input.product)
  }
}

@Plugin({ providers: [Stock, SALES], jobs: [TakeFromStock] })
class StockPlugin {
  static readonly inject = [Boss] as const
  constructor(private readonly boss: Boss) {}

  async onReady() {
    await this.boss.createQueue(SALES.name)
    await this.boss.subscribe('order.created', SALES.name)
  }
}

@Plugin({ imports: [QueuePlugin, StockPlugin] })
export class StockApp {}
// #endregion
