// #region test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { type Class, testServer } from 'alcove'
import { App, Mailer, QUEUE_OPTIONS, Settings, WorkerApp } from './queue.js'

const welcomed: string[] = []
const mailer: Mailer = { welcome: async (email) => void welcomed.push(email) }
const settings = new Settings({ DATABASE_URL: 'postgres://localhost/unused' })

/** Opens an application whose queue is in this database. */
function open(Application: Class, client: PGlite, ...more: [typeof Mailer, Mailer][]) {
  const executeSql = async (text: string, values?: unknown[]) =>
    values === undefined ? { rows: (await client.exec(text)).flatMap(({ rows }) => rows) } : client.query(text, values)
  return testServer(Application, { override: [[QUEUE_OPTIONS, { db: { executeSql } }], [Settings, settings], ...more] })
}

async function until(holds: () => boolean) {
  const end = Date.now() + 20_000
  while (!holds()) {
    assert.ok(Date.now() < end, 'it did not happen within 20 s')
    await sleep(20)
  }
}

test('a job that one application adds is done by another one, once', async () => {
  await using client = await PGlite.create()
  await using app = await open(App, client)
  await using worker = await open(WorkerApp, client, [Mailer, mailer])
  await worker.server.startJobs()
  const added = await app.inject({ method: 'POST', url: '/registrations', payload: { email: 'ada@example.com' } })
  assert.equal(added.statusCode, 202)
  await until(() => welcomed.length > 0)
  assert.deepEqual(welcomed, ['ada@example.com'])
})
// #endregion

import { OrdersApp, Stock, StockApp } from './messages.js'

test('an application that subscribes gets what another one publishes', async () => {
  await using client = await PGlite.create()
  await using stock = await open(StockApp, client)
  await stock.server.startJobs()
  await using orders = await open(OrdersApp, client)
  assert.equal((await orders.inject({ method: 'POST', url: '/orders', payload: { product: 'tea' } })).statusCode, 202)
  await until(() => stock.resolve(Stock).sold.length > 0)
  assert.deepEqual(stock.resolve(Stock).sold, ['tea'])
})

import { UsersApp } from './outbox.js'
import { CONNECT } from './transaction.js'

test('a job within a transaction is done if the transaction commits, and else never was', async () => {
  await using client = await PGlite.create()
  await client.exec('CREATE TABLE users (email text PRIMARY KEY)')
  const connect = async () => ({ query: (sql: string, values?: unknown[]) => client.query(sql, values), release: () => {} })
  const executeSql = async (text: string, values?: unknown[]) =>
    values === undefined ? { rows: (await client.exec(text)).flatMap(({ rows }) => rows) } : client.query(text, values)
  await using app = await testServer(UsersApp, {
    provide: [[CONNECT, connect]],
    override: [
      [QUEUE_OPTIONS, { db: { executeSql } }],
      [Settings, settings],
    ],
  })
  const register = (email: string) => app.inject({ method: 'POST', url: '/users', payload: { email } })
  assert.equal((await register('ada@example.com')).statusCode, 201)
  assert.equal((await register('ada@example.com')).statusCode, 409)
  welcomed.length = 0
  await using worker = await open(WorkerApp, client, [Mailer, mailer])
  await worker.server.startJobs()
  await until(() => welcomed.length > 0)
  await sleep(1_500)
  assert.deepEqual(welcomed, ['ada@example.com'])
})
