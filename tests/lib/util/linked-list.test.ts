import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kNext, kPrevious, LinkedList, type ListEntry } from '../../../lib/util/linked-list.js'

class Entry implements ListEntry {
  [kPrevious]: ListEntry | undefined = undefined;
  [kNext]: ListEntry | undefined = undefined
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

test('a linked list holds the entries that were added and not removed, in any order of removal, and links no others', () => {
  const names = ['a', 'b', 'c', 'd']
  for (const first of names) {
    for (const second of names.filter((name) => name !== first)) {
      const list = new LinkedList<Entry>()
      const entries = new Map(names.map((name) => [name, new Entry(name)]))
      for (const entry of entries.values()) list.add(entry)
      list.remove(entries.get(first)!)
      list.remove(entries.get(second)!)
      const left = names.filter((name) => name !== first && name !== second)
      assert.deepEqual(
        list.toArray().map(({ name }) => name),
        left,
      )
      assert.equal(list.size, 2)
      assert.deepEqual([entries.get(first)![kNext], entries.get(first)![kPrevious]], [undefined, undefined])
      for (const name of left) list.remove(entries.get(name)!)
      assert.deepEqual([list.size, list.toArray()], [0, []])
      list.add(entries.get(first)!)
      assert.deepEqual(list.toArray(), [entries.get(first)])
    }
  }
})
