/** Tests routes without a database: the plugin is mounted alone, with fakes for everything that other plugins provide. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer, type TestServer } from 'alcove'
import { CurrentUser, RequireUser } from '../auth/auth.plugin.js'
import { Tokens } from '../auth/tokens.js'
import { Database } from '../database/database.js'
import type { Product } from './product.models.js'
import { ProductsController, SellerController } from './products.controller.js'
import { ProductsPlugin } from './products.plugin.js'
import { Products } from './products.js'

const lamp = { id: 1, sellerId: 7, name: 'Lamp', price: 2500, stock: 3 } satisfies Product

class FakeProducts {
  list = async () => [lamp]
  find = async () => lamp
  create = async (sellerId: number, given: object) => ({ ...lamp, ...given, sellerId })
  change = async (_id: number, given: object) => ({ ...lamp, ...given })
}

/** Mounts the plugin. Every request comes from the user with this id. */
function start(id: number): Promise<TestServer> {
  return testServer(ProductsPlugin, {
    provide: [
      [CurrentUser, { id }],
      [Tokens, {} as Tokens],
      [Database, {} as Database],
    ],
    override: [
      [Products, FakeProducts],
      [RequireUser, { onRequest: async () => {} }],
    ],
  })
}

test('everyone sees the products', async () => {
  await using app = await start(8)
  assert.deepEqual(await app.call(ProductsController, 'list').expect(200), [lamp])
  assert.equal((await app.call(ProductsController, 'find', { params: { id: 1 } }).expect(200)).name, 'Lamp')
})

test('a user sells a product in its own name', async () => {
  await using app = await start(8)
  const chair = await app.call(SellerController, 'create', { body: { name: 'Chair', price: 4000, stock: 1 } }).expect(201)
  assert.deepEqual([chair.sellerId, chair.name], [8, 'Chair'])
})

test('only its seller changes a product', async () => {
  const change = { params: { id: 1 }, body: { price: 2000 } }
  await using other = await start(8)
  assert.equal((await other.call(SellerController, 'change', change)).status, 403)
  await using seller = await start(7)
  assert.deepEqual(await seller.call(SellerController, 'change', change).expect(200), { ...lamp, price: 2000 })
})
