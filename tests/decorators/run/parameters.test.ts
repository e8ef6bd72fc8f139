import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInThisContext } from 'node:vm'
import { countParameters } from '../../../decorators/run/parameters.js'

const key = 'computed'
const methods = {
  none() {},
  comment(/* nothing */) {},
  two(_a: unknown, _b: unknown) {},
  default(_a: unknown, _b = 1) {},
  ['x' + key.slice(0, 1)](_a: unknown) {},
  async *generator(_a: unknown, _b: unknown) {},
}

const cases: [title: string, given: (...args: any[]) => unknown, count: number][] = [
  ['no parameter', methods.none, 0],
  ['a list of parameters', methods.two, 2],
  ['a parameter with a default', methods.default, 2],
  ['a computed name', methods['xc'] as never, 1],
  ['an asynchronous generator', methods.generator, 2],
  ['an arrow function', (_a: unknown, _b: unknown) => {}, 2],
  // As text: the formatter would change these.
  ['an arrow function without parentheses', runInThisContext('a => a'), 1],
  ['an asynchronous arrow function without parentheses', runInThisContext('async a => a'), 1],
  ['commas in patterns, defaults, strings and comments', runInThisContext('({ a, b: [c, d] }, e = f(1, ")"), /* , ... */ g) => {}'), 3],
  ['a comma at the end', runInThisContext('(a, b, ) => {}'), 2],
  ['a rest parameter', (..._all: unknown[]) => {}, Infinity],
  [
    'arguments',
    function () {
      return arguments
    },
    Infinity,
  ],
  ['a bound function', methods.none.bind(null), Infinity],
  ['a native function', Math.max, Infinity],
  ['a text that cannot be read', runInThisContext('(a = /[(]/) => {}'), Infinity],
]
for (const [title, given, count] of cases) {
  test(`${title}: ${count}`, () => {
    assert.equal(countParameters(given), count)
    assert.equal(countParameters(given), count, 'also when it is asked again')
  })
}
