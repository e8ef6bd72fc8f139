/** Faults between the parts of a tree of plugins. Most are provoked in ../faults.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check } from 'alcove'
import { messagesOf, plugin } from '../../../fixtures/applications.js'

const notFoundHandler = (): string => 'nothing'

for (const [one, other] of [
  ['/a', '/a'],
  ['/a', '/a/'],
  ['/:x', '/:y'],
] as const) {
  test(`two sibling plugins with a not-found handler each, for ${one} and ${other}, are a fault`, () => {
    const imports = [plugin('Users', { prefix: one, notFoundHandler }), plugin('Orders', { prefix: other, notFoundHandler })]
    const prefix = other.replace(/\/$/, '')
    assert.deepEqual(messagesOf(plugin('App', { imports, schemas: [{ type: 'object' }] })), [
      "App lists Object among its schemas, but it has no $id. Write { $id: '…', … }.",
      `App > Orders has a notFoundHandler for the prefix '${prefix}', for which App > Users has one. Keep one of them, or give the plugin a prefix of its own.`,
    ])
  })
}

test('not-found handlers of different prefixes are no fault, also below each other', () => {
  const Inner = plugin('Inner', { prefix: '/b', notFoundHandler })
  check(plugin('App', { imports: [plugin('Users', { prefix: '/a', notFoundHandler, imports: [Inner] }), Inner], notFoundHandler }))
})
