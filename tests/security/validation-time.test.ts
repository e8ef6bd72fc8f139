/** The time of validation grows with what a client sends, not faster; and the ways to reach that decide as the plain ones do. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { buildValidatorCompiler } from 'alcove/lib'

const compile = buildValidatorCompiler({}, { customOptions: { logger: false, strictTypes: false } })

function validator(schema: object): (value: unknown) => boolean {
  const validate = compile({ schema, method: 'POST', url: '/', httpPart: 'body' }) as (value: unknown, context: object) => boolean
  return (value) => {
    const request = { body: value }
    return validate(value, { instancePath: '', parentData: request, parentDataProperty: 'body', rootData: value })
  }
}

/** ms of CPU time, the shortest of three */
function timeOf(run: (value: unknown) => unknown, text: string): number {
  const times = [0, 1, 2].map(() => {
    const value: unknown = JSON.parse(text)
    const before = process.cpuUsage()
    run(value)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

/** n·log n takes 4.6 times as long for four times the input, n² sixteen times. */
function assertGrowth(schema: object, make: (size: number) => unknown): void {
  const validate = validator(schema)
  const [small, large] = [JSON.stringify(make(1)), JSON.stringify(make(4))]
  let growth = 0
  for (let attempt = 0; attempt < 6; attempt++) {
    const long = timeOf(validate, large)
    if (long < 20) return
    growth = long / timeOf(validate, small)
    if (growth < 10) return
  }
  assert.fail(`four times the input takes ${growth} times as long`)
}

const list = (size: number, make: (index: number) => unknown): unknown[] => Array.from({ length: size }, (_, index) => make(index))
const nest = (depth: number, leaf: unknown, wrap: (below: unknown, index: number) => unknown): unknown =>
  list(depth, (index) => index).reduce((below, index) => wrap(below, index as number), leaf)

describe('the time of validation does not grow faster than its input', () => {
  const point = { type: 'object', required: ['x'], properties: { x: { type: 'integer' } } }
  const cases: Record<string, [object, (size: number) => unknown]> = {
    'uniqueItems of a tree': [
      { type: 'object', properties: { data: {}, children: { type: 'array', uniqueItems: true, items: { $ref: '#' } } } },
      (size) => nest(110 * size, { data: list(12_000 * size, String) }, (below, index) => ({ data: index, children: [below] })),
    ],
    'uniqueItems of lists in lists': [
      { type: 'array', uniqueItems: true, items: { anyOf: [{ type: 'string' }, { $ref: '#' }] } },
      (size) => nest(230 * size, list(10_000 * size, String), (below, index) => [String(index), below]),
    ],
    'const of an object at each level': [
      { anyOf: [{ const: { a: { b: 1 } } }, { type: 'object', properties: { next: { $ref: '#' } } }] },
      (size) => nest(230 * size, { data: list(10_000 * size, String) }, (below) => ({ next: below })),
    ],
    'enum of objects at each level': [
      { anyOf: [{ enum: [{ a: { b: 1 } }, 'x'] }, { type: 'object', properties: { next: { $ref: '#' } } }] },
      (size) => nest(230 * size, { data: list(10_000 * size, String) }, (below) => ({ next: below })),
    ],
    'multipleOf of large and small numbers': [
      { type: 'array', items: { type: 'number', multipleOf: 0.01 } },
      (size) => list(10_000 * size, (index) => (index % 2 === 0 ? 1e300 : index / 100)),
    ],
    'const of an object in a list of numbers': [
      { type: 'array', items: { anyOf: [{ const: list(200, () => point) }, { type: 'integer' }] } },
      (size) => list(20_000 * size, (index) => index),
    ],
  }
  for (const [name, [schema, make]] of Object.entries(cases)) test(`for ${name}`, () => assertGrowth(schema, make))

  test('and does not depend on the length of a const', () => {
    const [short, long] = [1, 4000].map((length) =>
      validator({ type: 'array', items: { anyOf: [{ const: list(length, () => point) }, { type: 'integer' }] } }),
    )
    const text = JSON.stringify(list(20_000, (index) => index))
    assert.ok(timeOf(long!, text) < 10 * timeOf(short!, text) + 20)
  })
})

describe('lists within lists are unique', () => {
  const schema = {
    type: 'array',
    uniqueItems: true,
    items: { anyOf: [{ type: 'integer' }, { $ref: '#' }, { type: 'object', properties: { list: { $ref: '#' } } }] },
  }
  const isValid = validator(schema)
  for (const [value, expected] of [
    [[], true],
    [[1, [1, [1]]], true],
    [[[1], [1]], false],
    [[[[[2, 1, 2]]]], false],
    [[[{ list: [] }, { list: [1] }], [{ list: [] }]], true],
    [
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      false,
    ],
    [
      [
        { a: 1, b: [2] },
        { b: [2], a: 2 },
      ],
      true,
    ],
    [[{ list: [[3], [4], [3]] }], false],
    [[0, -0], false],
    [[{ a: '#0' }, { a: { b: 1 } }], true],
  ] as const) {
    test(`${JSON.stringify(value)} is ${expected ? 'valid' : 'refused'}`, () => assert.equal(isValid(structuredClone(value)), expected))
  }

  test('after coercion and defaults too', () => {
    const numbers = validator({
      type: 'array',
      uniqueItems: true,
      items: { type: 'object', properties: { a: { type: 'integer', default: 1 }, next: { $ref: '#' } } },
    })
    assert.equal(numbers([{ a: '1' }, { a: 2 }]), true)
    assert.equal(numbers([{ a: '1' }, { a: 1 }]), false)
    assert.equal(numbers([{}, { a: 1 }]), false)
    assert.equal(numbers([{ next: [{ a: '3' }, { a: 3 }] }]), false)
    const both = validator({
      $defs: { list: { type: 'array', uniqueItems: true, items: { anyOf: [{ type: 'object' }, { $ref: '#/$defs/list' }] } } },
      allOf: [
        { $ref: '#/$defs/list' },
        { type: 'array', items: { type: 'object', properties: { a: { type: 'integer', default: 1 } } } },
        { $ref: '#/$defs/list' },
      ],
    })
    assert.equal(both([{}, { a: 1 }]), false)
    assert.equal(both([{ a: '1' }, { a: 1 }]), false)
    assert.equal(both([{ a: '1' }, { a: 2 }]), true)
  })

  test('and a validation within another has its own numbers', () => {
    const inner = validator(schema)
    assert.equal(inner([[1], [2]]), true)
    assert.equal(inner([[1], [1]]), false)
  })
})

describe('a number is a multiple by its decimals', () => {
  const digits = (value: number): [bigint, number] => {
    const [mantissa = '', power = '0'] = String(value).split('e')
    const [whole = '', fraction = ''] = mantissa.split('.')
    return [BigInt(whole + fraction), Number(power) - fraction.length]
  }
  /** By the definition, with integers of any size. */
  const isMultiple = (value: number, by: number): boolean => {
    const [[a, x], [b, y]] = [digits(value), digits(by)]
    const least = Math.min(x, y)
    return (a * 10n ** BigInt(x - least)) % (b * 10n ** BigInt(y - least)) === 0n
  }

  test('for numbers of all sizes', () => {
    const divisors = [0.01, 0.1, 0.3, 0.007, 1e-7, 2.5e-9, 1e-15, 1e-20, 3e-320, 1.5, 2.25, 123.456, 999999999999.99, 0.1 + 0.2, 1e30 + 0.5]
    const values = [
      0,
      -0,
      1,
      19.99,
      0.07,
      0.3,
      0.30000000000000004,
      1e300,
      -1e300,
      1e-300,
      5e-324,
      123.456,
      999999999999999.9,
      1e15 + 0.125,
      2 ** 53,
      2 ** 60,
      1e21,
      0.000003,
    ]
    let seed = 1
    for (let index = 0; index < 3000; index++) {
      seed = (seed * 48271) % 2147483647
      values.push((seed / 2147483647 - 0.5) * 10 ** (seed % 24), (seed % 100_000) / 10 ** (seed % 7))
    }
    for (const multipleOf of divisors) {
      const isValid = validator({ type: 'number', multipleOf })
      for (const value of values) {
        const expected = Number.isInteger(value) && Number.isInteger(multipleOf) ? value % multipleOf === 0 : isMultiple(value, multipleOf)
        assert.equal(isValid(value), expected, `${value} by ${multipleOf}`)
      }
    }
  })
})
