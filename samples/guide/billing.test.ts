// #region call
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { BillingPlugin, CurrentUser, Invoices, InvoicesController } from './billing.js'

class FakeInvoices {
  find(id: number) {
    return id === 7 ? { id, total: 30 } : undefined
  }
}

test('an invoice that exists is found', async () => {
  await using app = await testServer(BillingPlugin, { provide: [[CurrentUser, 'ada']], override: [[Invoices, FakeInvoices]] })
  const invoice = await app.call(InvoicesController, 'find', { params: { id: 7 } }).expect(200)
  assert.equal(invoice.total, 30)

  const reply = await app.call(InvoicesController, 'find', { params: { id: 8 } })
  if (reply.status === 200) assert.fail(`invoice ${reply.body.id} exists`)
  assert.equal(reply.body.message, 'No such invoice')
})
// #endregion

// #region override
import { Controller, Get, Plugin, type Reply } from 'alcove'
import { ApiErrors, App, MailPlugin, UserGuard } from './billing.js'

class FakeErrors {
  errorHandler(error: Error, _request: unknown, reply: Reply) {
    return reply.code(500).send({ message: error.message })
  }
}

@Controller('/sent')
class SentController {
  @Get()
  list() {
    return ['a message']
  }
}

@Plugin({ routes: [SentController] })
class FakeMailPlugin {}

test('a guard, an error handler and an imported plugin are replaced', async () => {
  await using app = await testServer(App, {
    override: [
      [UserGuard, { preHandler() {} }],
      [ApiErrors, FakeErrors],
      [MailPlugin, FakeMailPlugin],
    ],
  })
  const failed = await app.inject('/invoices/7')
  assert.equal(failed.json().message, 'There is no database to find invoice 7 in')
  assert.equal((await app.inject('/mail/sent')).body, '["a message"]')
})
// #endregion

test('an override that replaces nothing is a fault', async () => {
  await assert.rejects(testServer(BillingPlugin, { provide: [[CurrentUser, null]], override: [[ApiErrors, FakeErrors]] }), /ApiErrors/)
})

test('the guard refuses a request without a user', async () => {
  await using app = await testServer(BillingPlugin, { provide: [[CurrentUser, null]] })
  assert.equal((await app.inject('/invoices/7')).statusCode, 401)
})
