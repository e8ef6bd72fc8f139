import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pack, type Packed, unpack } from '../../../decorators/tools/packed.js'

const throughJson = (data: object): unknown => unpack(JSON.parse(JSON.stringify(pack(data))) as Packed)

test('packed data is unpacked as it was', () => {
  fc.assert(
    fc.property(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), (data) => {
      const plain = JSON.parse(JSON.stringify(data)) as object
      assert.deepEqual(throughJson(plain), plain)
    }),
  )
})

test('equal parts are written once, and are one object when they are unpacked', () => {
  const part = () => ({ type: 'object', properties: { name: { type: 'string' } } })
  const packed = pack({ one: part(), other: part(), list: [part(), part()] })
  assert.equal(JSON.stringify(packed).split('"string"').length - 1, 1)
  const read = unpack(packed) as { one: object; other: object; list: object[] }
  assert.equal(read.one, read.other)
  assert.equal(read.list[1], read.one)
})

test('values are left out and replaced as JSON does it', () => {
  const data = {
    date: new Date(0),
    left: undefined,
    run: () => 1,
    list: [undefined, 1],
    own: JSON.parse('{"__proto__":{"x":[1]}}') as object,
  }
  const read = throughJson(data) as { own: object }
  assert.equal(JSON.stringify(read), JSON.stringify(data))
  assert.equal(Object.getPrototypeOf(read.own), Object.prototype, 'a key changes no prototype')
})
