import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestServer } from 'alcove'
import { Database } from '../database/database.js'
import { ProductsController, SellerController } from '../products/products.controller.js'
import { newUser, startApp } from '../testing.js'
import { CONFIRMATIONS, ReportOrders, SendConfirmation } from './order.jobs.js'
import { OrdersController } from './orders.controller.js'

let app: TestServer
before(async () => {
  app = await startApp()
})
after(() => app.close())

async function newProduct(stock: number): Promise<number> {
  const { headers } = await newUser(app)
  const { id } = await app.call(SellerController, 'create', { headers, body: { name: 'Lamp', price: 2500, stock } }).expect(201)
  return id
}

const stockOf = async (id: number): Promise<number> => (await app.call(ProductsController, 'find', { params: { id } }).expect(200)).stock

test('an order takes the products out of the stock', async () => {
  const { headers } = await newUser(app)
  const id = await newProduct(3)
  const lines = [
    { productId: id, quantity: 1 },
    { productId: id, quantity: 1 },
  ]
  const order = await app.call(OrdersController, 'create', { headers, body: { lines } }).expect(201)
  assert.deepEqual([order.total, order.lines], [5000, [{ productId: id, quantity: 2, price: 2500 }]])
  assert.equal(await stockOf(id), 1)
  assert.deepEqual(await app.call(OrdersController, 'list', { headers }).expect(200), [order])
})

test('if one product is sold out, nothing is taken', async () => {
  const { headers } = await newUser(app)
  const [id, soldOut] = [await newProduct(3), await newProduct(0)]
  const lines = [
    { productId: id, quantity: 1 },
    { productId: soldOut, quantity: 1 },
  ]
  const { status, body } = await app.call(OrdersController, 'create', { headers, body: { lines } })
  assert.deepEqual([status, (body as unknown as { productId: number }).productId], [409, soldOut])
  assert.equal(await stockOf(id), 3)
})

test('the last one is sold once, however many ask at the same time', async () => {
  const id = await newProduct(1)
  const { headers } = await newUser(app)
  const order = async () =>
    (await app.call(OrdersController, 'create', { headers, body: { lines: [{ productId: id, quantity: 1 }] } })).status
  assert.deepEqual((await Promise.all([order(), order(), order()])).sort(), [201, 409, 409])
})

test('an order is shown to its buyer only', async () => {
  const [buyer, other] = [await newUser(app), await newUser(app)]
  const lines = [{ productId: await newProduct(1), quantity: 1 }]
  const order = await app.call(OrdersController, 'create', { headers: buyer.headers, body: { lines } }).expect(201)
  const find = async (headers?: Record<string, string>) =>
    (await app.call(OrdersController, 'find', { params: { id: order.id }, ...(headers && { headers }) })).status
  assert.deepEqual([await find(buyer.headers), await find(other.headers), await find()], [200, 404, 401])
})

const confirmations = async (): Promise<number> => {
  const [found] = await app
    .resolve(Database)
    .query<{ count: number }>('select count(*)::integer as count from pgboss.job where name = $1', [CONFIRMATIONS.name])
  return found!.count
}

test('an order adds the job of its confirmation, in its transaction', async () => {
  const { headers } = await newUser(app)
  const [id, soldOut] = [await newProduct(1), await newProduct(0)]
  const order = (productId: number) => app.call(OrdersController, 'create', { headers, body: { lines: [{ productId, quantity: 1 }] } })
  const { id: orderId } = await order(id).expect(201)
  const count = await confirmations()
  assert.equal((await order(soldOut)).status, 409)
  assert.equal(await confirmations(), count)
  await app.server.runJob(SendConfirmation, { orderId })
})

test('the orders of the last day are counted', async () => {
  assert.ok((await app.server.runJob(ReportOrders)) > 0)
})
