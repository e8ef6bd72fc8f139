import { Controller, Get, HttpError, Plugin, type RouteRequest } from 'alcove'
import { docsPage } from 'alcove/contract'
import { Orders } from './orders.js'

const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  response: { 200: { type: 'object', required: ['id', 'total'], properties: { id: { type: 'integer' }, total: { type: 'number' } } } },
} as const

@Controller('/orders')
class OrdersController {
  constructor(private readonly orders: Orders) {}

  @Get('/:id', find)
  find({ params }: RouteRequest<typeof find>) {
    const order = this.orders.find(params.id)
    if (order === undefined) throw new HttpError(404, 'There is no such order')
    return order
  }
}

@Plugin({
  imports: [docsPage({ info: { title: 'Orders', version: '1.0.0' } })], // the page at /docs
  providers: [Orders],
  routes: [OrdersController],
})
export class App {}
