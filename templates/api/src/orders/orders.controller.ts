import { Controller, Get, Hook, Injectable, Post, type Queue, ref, type RouteRequest } from 'alcove'
import type { CurrentUser } from '../auth/auth.plugin.js'
import { Database, InTransaction } from '../database/database.js'
import { CONFIRMATIONS } from './order.jobs.js'
import { NewOrder, NoSuchOrder, Order, OutOfStock } from './order.models.js'
import { Orders } from './orders.js'

const list = { response: { 200: { type: 'array', description: 'The orders of the user', items: ref(Order) } } } as const
const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer', minimum: 1, maximum: 2_147_483_647 } } },
  response: { 200: { ...ref(Order), description: 'The order' } },
} as const
const create = { body: ref(NewOrder), response: { 201: { ...ref(Order), description: 'The new order' } } } as const

@Injectable()
@Controller('/orders', { docs: { tags: ['orders'] } })
export class OrdersController {
  static readonly inject = [Orders, Database, CONFIRMATIONS] as const
  constructor(
    private readonly orders: Orders,
    private readonly db: Database,
    private readonly confirmations: Queue<{ orderId: number }>,
  ) {}

  @Get('', list)
  list({ user }: RouteRequest<typeof list, [typeof CurrentUser]>) {
    return this.orders.list(user.id)
  }

  @Get({ path: '/:id', throws: [NoSuchOrder] }, find)
  find({ params, user }: RouteRequest<typeof find, [typeof CurrentUser]>) {
    return this.orders.find(user.id, params.id)
  }

  @Post({ status: 201, throws: [OutOfStock] }, create)
  @Hook('around', InTransaction)
  async create({ body, user }: RouteRequest<typeof create, [typeof CurrentUser]>) {
    const order = await this.orders.create(user.id, body)
    await this.confirmations.add({ orderId: order.id }, { within: this.db.client })
    return order
  }
}
