import { test } from 'node:test'
import { access } from 'alcove'
import { App } from './app.js'
import { RequireUser } from './auth/auth.plugin.js'
import { Passwords } from './auth/passwords.js'
import { OrdersPlugin } from './orders/orders.plugin.js'
import { RequireSeller } from './products/products.controller.js'
import { ProductsPlugin } from './products/products.plugin.js'
import { Users } from './users/users.js'

test('only a user reaches orders, and only the seller changes a product', () => {
  access(App).routes('/api/orders/**').run(RequireUser).routes('PATCH /api/products/:id').run(RequireUser, RequireSeller)
})

test('passwords stay in the plugin of users', () => {
  for (const plugin of [OrdersPlugin, ProductsPlugin]) access(App).plugin(plugin).neverSees(Passwords, Users)
})
