import { httpError, Schema } from 'alcove'

/** The properties of products. Prices are in cents, because floating-point numbers are not exact for fractions of a currency. */
const properties = {
  // PostgreSQL stores no NUL.
  name: { type: 'string', minLength: 1, maxLength: 200, pattern: String.raw`^[^\0]*$` },
  price: { type: 'integer', minimum: 0, maximum: 100_000_000, description: 'in cents' },
  stock: { type: 'integer', minimum: 0, maximum: 1_000_000 },
} as const

@Schema({ $id: 'NewProduct', type: 'object', required: ['name', 'price', 'stock'], additionalProperties: false, properties })
export class NewProduct {
  name!: string
  price!: number
  stock!: number
}

@Schema({ $id: 'ProductChanges', type: 'object', minProperties: 1, additionalProperties: false, properties })
export class ProductChanges {
  name?: string
  price?: number
  stock?: number
}

@Schema({
  $id: 'Product',
  type: 'object',
  required: ['id', 'sellerId', 'name', 'price', 'stock'],
  properties: { id: { type: 'integer' }, sellerId: { type: 'integer' }, ...properties },
})
export class Product {
  id!: number
  sellerId!: number
  name!: string
  price!: number
  stock!: number
}

export class NoSuchProduct extends httpError(404, { productId: { type: 'integer' } }, { message: 'There is no such product' }) {}
export class NotTheSeller extends httpError(403, {}, { message: 'Only its seller changes a product' }) {}
