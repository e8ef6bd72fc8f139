import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fastify } from 'alcove/fastify'
import { createServer, type Server, type ServerOptions } from 'alcove/lib'
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

describe('items as a list', () => {
  const text = { type: 'string' } as const
  const faces: Record<string, (options: ServerOptions) => Server> = {
    createServer,
    'alcove/fastify': fastify,
  }
  for (const [face, create] of Object.entries(faces)) {
    test(`leaves no keyword out for a list that is shorter: ${face}`, async () => {
      const given = async (schema: object, body: unknown[], jsv: ServerOptions['jsv'] = {}): Promise<unknown> => {
        const got = await answer({ type: 'array', ...schema }, body, { jsv }, create)
        return Array.isArray(got) ? 'taken' : String(got).slice(0, 3)
      }
      const contains = { items: [text], contains: { const: 'z' } }
      assert.deepEqual(await Promise.all([[], ['a'], ['z'], ['a', 'z'], [{}]].map((body) => given(contains, body))), [
        '400',
        '400',
        'taken',
        'taken',
        '400',
      ])
      const unique = { items: [text, text, text], uniqueItems: true }
      assert.deepEqual(await Promise.all([[], ['a'], ['a', 'a'], ['a', 'b', 'a']].map((body) => given(unique, body))), [
        'taken',
        'taken',
        '400',
        '400',
      ])
      const nested = { anyOf: [contains, { maxItems: 0, minItems: 1 }] }
      assert.deepEqual(await Promise.all([given(nested, []), given(nested, ['z'])]), ['400', 'taken'])
      // A keyword of a plugin comes last.
      const addKeyword = (jsv: any): object =>
        jsv.addKeyword({ keyword: 'isOdd', type: 'array', validate: (_: true, { length }: []) => length % 2 })
      assert.deepEqual(
        await Promise.all(
          [['a'], ['a', 'a']].map((body) => given({ items: [text, text, text], isOdd: true }, body, { plugins: [addKeyword] })),
        ),
        ['taken', '400'],
      )
      const closed = { items: [true, text], additionalItems: false, contains: { type: 'integer' } }
      assert.deepEqual(await Promise.all([[], [1], ['a'], [1, 'a'], [1, 'a', 1]].map((body) => given(closed, body))), [
        '400',
        'taken',
        '400',
        'taken',
        '400',
      ])
    })
  }
})
