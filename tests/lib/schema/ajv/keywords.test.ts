import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ServerOptions } from 'alcove/lib'
import { answer } from '../../../fixtures/answer.js'

describe('multipleOf', () => {
  test('divides decimals, whole numbers, and by a divisor that comes with the data', async () => {
    const number = (divisor: unknown): object => ({
      type: 'object',
      properties: { n: { type: 'number', multipleOf: divisor }, by: { type: 'number' } },
    })
    for (const [divisor, n, isMultiple] of [
      [3, 9, true],
      [3, 10, false],
      [0.01, 19.99, true],
      [0.1, 0.25, false],
      [1e-7, 3e-7, true],
      [0.5, 1e21, true],
    ] as const) {
      assert.deepEqual(await answer(number(divisor), { n }), isMultiple ? { n } : `400 body/n should be multiple of ${divisor}`)
    }
    const options: ServerOptions = { jsv: { customOptions: { $data: true } } }
    assert.deepEqual(await answer(number({ $data: '1/by' }), { n: 6, by: 1.5 }, options), { n: 6, by: 1.5 })
    for (const by of [0.5, 0, -0.5]) {
      const got = await answer(number({ $data: '1/by' }), { n: 0.75, by }, options)
      assert.match(String(got), /^400 body\/n should be multiple of/)
    }
  })
})
