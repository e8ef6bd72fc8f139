import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ChunkList } from '../../../lib/util/chunk-list.js'

test('the bytes of a list are those of its chunks, in order, whatever their sizes', () => {
  const size = fc.oneof(fc.nat(5), fc.nat(3_000), fc.constantFrom(2_048, 2_049, 4_096, 65_536, 100_000))
  fc.assert(
    fc.property(fc.array(size, { maxLength: 60 }), (sizes) => {
      const list = new ChunkList()
      const chunks = sizes.map((length, index) => Buffer.alloc(length, index + 1))
      for (const chunk of chunks) list.add(chunk)
      const all = Buffer.concat(chunks)
      assert.equal(list.length, all.length)
      assert.ok(list.toBuffer().equals(all))
    }),
    { numRuns: 200 },
  )
})

test('chunks of one byte take memory in proportion to their bytes, also between larger chunks', () => {
  for (const sizes of [[1], [1, 2_049], [1, 4_097], [1, 1, 65_536]]) {
    const chunks = sizes.map((length) => Buffer.alloc(length))
    const list = new ChunkList()
    const before = process.memoryUsage()
    while (list.length < 1_000_000) for (const chunk of chunks) list.add(chunk)
    const after = process.memoryUsage()
    const taken = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
    assert.ok(taken < 2_500_000, `${sizes}: ${taken} bytes`)
    assert.equal(list.toBuffer().length, list.length)
  }
})

test('a single chunk is not copied, and a list without chunks is empty', () => {
  const chunk = Buffer.from('one')
  const list = new ChunkList()
  assert.equal(list.toBuffer().length, 0)
  list.add(chunk)
  assert.equal(list.toBuffer(), chunk)
})
