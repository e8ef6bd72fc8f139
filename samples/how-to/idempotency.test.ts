/** What docs/how-to/idempotency.md says of a request that is sent again. */
// #region test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App, PaymentsController } from './idempotency.js'

test('a payment that is sent again is made once', async () => {
  await using app = await testServer(App)
  const headers = { authorization: 'ada', 'idempotency-key': crypto.randomUUID() }
  const pay = (amount: number) => app.call(PaymentsController, 'pay', { headers, body: { amount } })

  assert.deepEqual(await pay(5).expect(201), { payment: 1, amount: 5 })
  const again = await pay(5)
  assert.deepEqual([again.status, again.body], [201, { payment: 1, amount: 5 }])
  assert.equal(again.headers['idempotency-replayed'], 'true')
  assert.equal((await pay(6)).status, 422)
})
// #endregion test

test('each user has keys of its own, and a payment without a key is refused', async () => {
  await using app = await testServer(App)
  const pay = (user: string, key?: string) =>
    app.call(PaymentsController, 'pay', { headers: { authorization: user, 'idempotency-key': key }, body: { amount: 5 } })
  assert.deepEqual(await pay('ada', 'k').expect(201), { payment: 1, amount: 5 })
  assert.deepEqual(await pay('bob', 'k').expect(201), { payment: 2, amount: 5 })
  assert.equal((await pay('ada')).status, 400)
})
