import { Controller, Get, Hook, Injectable, Patch, Post, ref, type RouteRequest, Without } from 'alcove'
import { CurrentUser, RequireUser } from '../auth/auth.plugin.js'
import { NewProduct, NoSuchProduct, NotTheSeller, Product, ProductChanges } from './product.models.js'
import { Products } from './products.js'

const id = { type: 'integer', minimum: 1, maximum: 2_147_483_647 } as const
const byId = { type: 'object', required: ['id'], properties: { id } } as const

const list = {
  querystring: { before: id, limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
  response: { 200: { type: 'array', description: 'The newest products', items: ref(Product) } },
} as const
const find = { params: byId, response: { 200: { ...ref(Product), description: 'The product' } } } as const
const create = { body: ref(NewProduct), response: { 201: { ...ref(Product), description: 'The new product' } } } as const
const change = {
  params: byId,
  body: ref(ProductChanges),
  response: { 200: { ...ref(Product), description: 'The changed product' } },
} as const

@Injectable()
@Controller('/products', { docs: { tags: ['products'] } })
@Without(CurrentUser)
export class ProductsController {
  constructor(private readonly products: Products) {}

  @Get('', list)
  list({ query }: RouteRequest<typeof list>) {
    return this.products.list(query)
  }

  @Get({ path: '/:id', throws: [NoSuchProduct] }, find)
  find({ params }: RouteRequest<typeof find>) {
    return this.products.find(params.id)
  }
}

/** Lets the seller of a product pass. It runs after {@link RequireUser}, and after the parameters are validated. */
@Injectable()
export class RequireSeller {
  static readonly requires = [CurrentUser] as const
  static readonly throws = [NoSuchProduct, NotTheSeller] as const
  constructor(private readonly products: Products) {}

  async preHandler({ params, user }: RouteRequest<typeof find, [typeof CurrentUser]>): Promise<void> {
    const { sellerId } = await this.products.find(params.id)
    if (sellerId !== user.id) throw new NotTheSeller()
  }
}

@Injectable()
@Controller('/products', { docs: { tags: ['products'] } })
@Hook('onRequest', RequireUser)
export class SellerController {
  constructor(private readonly products: Products) {}

  @Post({ status: 201 }, create)
  create({ body, user }: RouteRequest<typeof create, [typeof CurrentUser]>) {
    return this.products.create(user.id, body)
  }

  @Patch('/:id', change)
  @Hook('preHandler', RequireSeller)
  change({ params, body }: RouteRequest<typeof change>) {
    return this.products.change(params.id, body)
  }
}
