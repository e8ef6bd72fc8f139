/** The HTTP methods of contexts. How requests meet them: tests/lib/route/methods.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ContextMethods } from '../../../lib/context/context-methods.js'

const read = { body: 'always', hasShorthand: true } as const
const unread = { body: 'never', hasShorthand: false } as const

test('a context has the methods of its ancestors, those that come later too, and its own; a sibling has not', () => {
  const root = new ContextMethods(new Map([['POST', read]]))
  const [child, sibling] = [root.child(), root.child()]
  const grandchild = child.child()
  child.add('REBIND', unread)
  root.add('LINK', read)
  assert.deepEqual(
    [root.all, sibling.all],
    [
      ['POST', 'LINK'],
      ['POST', 'LINK'],
    ],
  )
  assert.deepEqual(grandchild.all, ['POST', 'LINK', 'REBIND'])
  assert.deepEqual(grandchild.withShorthand, ['POST', 'LINK'])
  assert.deepEqual([root.find('REBIND'), grandchild.find('REBIND')], [undefined, unread])
})

test('a context that changes a method of an ancestor changes it for itself and below', () => {
  const root = new ContextMethods(new Map([['GET', unread]]))
  const child = root.child()
  child.add('GET', read)
  const reads = [root, child, child.child()].map(({ bodyReadings }) => bodyReadings['GET'])
  assert.deepEqual(reads, ['never', 'always', 'always'])
  assert.deepEqual(child.all, ['GET'])
})

test('words that every object has are no methods', () => {
  const root = new ContextMethods()
  for (const name of ['constructor', '__proto__', 'toString'])
    assert.deepEqual([root.find(name), root.bodyReadings[name]], [undefined, undefined])
})
