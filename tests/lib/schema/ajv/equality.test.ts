import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buildValidatorCompiler, type ServerOptions } from 'alcove/lib'
import { answer } from '../../../fixtures/answer.js'

describe('const, enum and uniqueItems', () => {
  const refused = (message: string): string => `400 body ${message}`

  test('compare values as JSON does: order of names, 0 and -0, texts and numbers', async () => {
    const equal = 'should be equal to constant'
    const cases: [schema: object, body: unknown, isEqual: boolean][] = [
      [{ const: { a: 1, b: [2, { c: null }] } }, { b: [2, { c: null }], a: 1 }, true],
      [{ const: { a: 1 } }, { a: 1, b: 2 }, false],
      [{ const: { a: '1' } }, { a: 1 }, false],
      [{ const: { a: null } }, { a: 'null' }, false],
      [{ const: [1, 2] }, [2, 1], false],
      [{ const: [1, [2]] }, [1, [2]], true],
      [{ const: [0] }, [-0], true],
      [{ const: ['a,b'] }, ['a', 'b'], false],
      [{ const: { toString: 'x' } }, { toString: 'x' }, true],
      [{ const: { a: true } }, { a: 'true' }, false],
    ]
    for (const [schema, body, isEqual] of cases) {
      assert.deepEqual(
        await answer(schema, body),
        isEqual ? (body === null ? null : JSON.parse(JSON.stringify(body))) : refused(equal),
        JSON.stringify([schema, body]),
      )
    }
    const listed = { enum: [{ a: 1 }, ['x'], 'x', 7, null] }
    for (const body of [{ a: 1 }, ['x'], 'x', 7]) assert.deepEqual(await answer(listed, body), body)
    for (const body of [{ a: 2 }, ['y'], 'y', 8])
      assert.equal(await answer(listed, body), refused('should be equal to one of the allowed values'))
  })

  test('compare with other values of the data if $data refers to them', async () => {
    const options: ServerOptions = { jsv: { customOptions: { $data: true } } }
    const properties = { list: { type: 'array' }, one: {}, other: {} }
    const among = { type: 'object', properties: { ...properties, one: { enum: { $data: '1/list' } } } }
    const same = { type: 'object', properties: { ...properties, one: { const: { $data: '1/other' } } } }
    assert.deepEqual(await answer(among, { list: [{ a: 1 }, 2], one: { a: 1 } }, options), { list: [{ a: 1 }, 2], one: { a: 1 } })
    assert.equal(
      await answer(among, { list: [{ a: 1 }, 2], one: { a: 2 } }, options),
      '400 body/one should be equal to one of the allowed values',
    )
    assert.deepEqual(await answer(same, { one: [1, 'x', 0], other: [1, 'x', -0] }, options), { one: [1, 'x', 0], other: [1, 'x', 0] })
    assert.equal(await answer(same, { one: '1', other: 1 }, options), '400 body/one should be equal to constant')
    assert.deepEqual(await answer(same, { one: 0, other: -0 }, options), { one: 0, other: 0 })
  })

  test('name the last two items that are equal', async () => {
    const unique = { type: 'array', uniqueItems: true }
    assert.deepEqual(await answer(unique, [1, '1', [1], { a: 1 }, { a: 2 }, null, 'null']), [1, '1', [1], { a: 1 }, { a: 2 }, null, 'null'])
    assert.equal(
      await answer(unique, [{ a: 1, b: 2 }, 3, { b: 2, a: 1 }]),
      refused('should NOT have duplicate items (items ## 2 and 0 are identical)'),
    )
    assert.equal(await answer(unique, ['a', 'b', 'a']), refused('should NOT have duplicate items (items ## 2 and 0 are identical)'))
    assert.deepEqual(await answer({ type: 'array', uniqueItems: false }, [1, 1]), [1, 1])
  })

  test('compare values that are not JSON by identity', () => {
    const compile: any = buildValidatorCompiler({}, {})
    const validate = compile({ schema: { type: 'array', uniqueItems: true } })
    const date = new Date(0)
    assert.equal(validate([date, new Date(0)]), true)
    assert.equal(validate([date, date]), false)
    assert.equal(validate([Object.assign(Object.create(null), { a: 1 }), { a: 1 }]), false)
  })
})
