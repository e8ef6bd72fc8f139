/** Values as TypeScript: what is written is the value, and nothing of it becomes code. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { Code, print, text, WithSpread } from '../../../../decorators/commands/contract-first/print.js'

test('any value of JSON is written so that it is the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), fc.string({ unit: 'binary' }), (value, name) => {
      const given = { [name]: value, list: [value] }
      const read: unknown = JSON.parse(runInNewContext(`JSON.stringify((${print(given)}))`) as string)
      assert.deepEqual(read, JSON.parse(JSON.stringify(given)))
    }),
  )
})

test('a member named __proto__ is a member', () => {
  const given = JSON.parse('{"__proto__":{"a":1}}') as object
  assert.equal(print(given), "{ ['__proto__']: { a: 1 } }")
})

test('texts have no character that ends a line or turns the direction of writing', () => {
  assert.equal(text('a\u2028b\u202e\n'), String.raw`'a\u2028b\u202e\n'`)
  assert.equal(text(`it's "so"`), String.raw`"it's \"so\""`)
  assert.equal(text('"'), `'"'`)
})

test('code stands in the place of a value, before the members of an object, and as a member of its own name', () => {
  assert.equal(print([new Code('ref(Pet)')]), '[ref(Pet)]')
  assert.equal(print(new WithSpread(new Code('ref(Pet)'), { a: 1 })), '{ ...ref(Pet), a: 1 }')
  assert.equal(print({ schemas: new Code('schemas') }), '{ schemas }')
})

test('long values are divided into lines', () => {
  const long = 'x'.repeat(90)
  assert.equal(print({ a: long, b: [long] }), `{\n  a: '${long}',\n  b: ['${long}'],\n}`)
})
