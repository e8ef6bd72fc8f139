import { httpError, ref, Schema } from 'alcove'

const id = { type: 'integer', minimum: 1, maximum: 2_147_483_647 } as const
const quantity = { type: 'integer', minimum: 1, maximum: 1000 } as const

@Schema({
  $id: 'NewOrder',
  type: 'object',
  required: ['lines'],
  additionalProperties: false,
  properties: {
    lines: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: { type: 'object', required: ['productId', 'quantity'], properties: { productId: id, quantity } },
    },
  },
})
export class NewOrder {
  lines!: { productId: number; quantity: number }[]
}

@Schema({
  $id: 'OrderLine',
  type: 'object',
  required: ['productId', 'quantity', 'price'],
  properties: {
    productId: { type: 'integer' },
    quantity: { type: 'integer' },
    price: { type: 'integer', description: 'of one, in cents' },
  },
})
export class OrderLine {
  productId!: number
  quantity!: number
  price!: number
}

@Schema({
  $id: 'Order',
  type: 'object',
  required: ['id', 'total', 'createdAt', 'lines'],
  properties: {
    id: { type: 'integer' },
    total: { type: 'integer', description: 'in cents' },
    createdAt: { type: 'string', format: 'date-time' },
    lines: { type: 'array', items: ref(OrderLine) },
  },
})
export class Order {
  id!: number
  total!: number
  createdAt!: Date
  lines!: OrderLine[]
}

export class NoSuchOrder extends httpError(404, {}, { message: 'You have no such order' }) {}
export class OutOfStock extends httpError(
  409,
  { type: 'object', required: ['productId'], properties: { productId: { type: 'integer' } } },
  { message: 'There are not enough of a product, or it does not exist' },
) {}
