/** How does one application tell others what has happened? By an event, of which each of them gets a copy into its own queue. */
// #region publish
import { Controller, Injectable, Plugin, Post, type RouteRequest } from 'alcove'
import { Queue, QueuePlugin } from './queue.js'

const order = { body: { type: 'object', required: ['product'], properties: { product: { type: 'string' } } } } as const

@Injectable()
@Controller('/orders')
class OrdersController {
  constructor(private readonly queue: Queue) {}

  @Post({ status: 202 }, order)
  async create({ body }: RouteRequest<typeof order>) {
    await this.queue.publish('order.created', { product: body.product })
  }
}

@Plugin({ imports: [QueuePlugin], routes: [OrdersController] })
export class OrdersApp {}
// #endregion

// #region subscribe
export class Stock {
  readonly sold: string[] = []
}

@Plugin({ providers: [Stock] })
class StockPlugin {
  static readonly inject = [Queue, Stock] as const
  constructor(
    private readonly queue: Queue,
    private readonly stock: Stock,
  ) {}

  async onReady() {
    await this.queue.createQueue('stock.order-created')
    await this.queue.subscribe('order.created', 'stock.order-created')
    await this.queue.work<{ product: string }>('stock.order-created', async ([job]) => {
      this.stock.sold.push(job!.data.product)
    })
  }
}

@Plugin({ imports: [QueuePlugin, StockPlugin] })
export class StockApp {}
// #endregion
