/** Faults between the parts of a tree of plugins. Most are provoked in ../faults.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, type Class, Controller, Get, type PluginOptions, shared } from 'alcove'
import { messagesOf, plugin, route } from '../../../fixtures/applications.js'

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

const settings: [option: string, one: PluginOptions, other: PluginOptions][] = [
  ['schemaErrorFormatter', { schemaErrorFormatter: () => new Error('one') }, { schemaErrorFormatter: () => new Error('other') }],
  ['validatorCompiler', { validatorCompiler: () => () => true }, { validatorCompiler: () => () => true }],
  ['serializerCompiler', { serializerCompiler: () => () => '1' }, { serializerCompiler: () => () => '2' }],
  ['schemaController.coerceBodies', { schemaController: { coerceBodies: true } }, { schemaController: { coerceBodies: false } }],
  [
    'schemaController.compilersFactory.buildSerializer',
    { schemaController: { compilersFactory: { buildSerializer: () => () => () => '1' } } },
    { schemaController: { compilersFactory: { buildSerializer: () => () => () => '2' } } },
  ],
]

for (const [option, one, other] of settings)
  test(`two plugins that declare different values of ${option} in one context are a fault, with both places and a cure`, () => {
    const Metrics = plugin('Metrics', other)
    const messageOf = (place: string): string =>
      `App > Metrics has the option ${option}, but ${place}, which declares in the same context, has it with another value. ` +
      'Keep one of them, or import Metrics without sharing it: it then declares in a context of its own.'
    assert.deepEqual(messagesOf(plugin('App', { ...one, imports: [shared(Metrics)] })), [messageOf('App')])
    assert.deepEqual(messagesOf(plugin('App', { imports: [shared(plugin('Users', one)), shared(Metrics)] })), [messageOf('App > Users')])
    const Below = plugin('Below', { ...other, routes: [route('/below', () => 1)] })
    check(plugin('App', { ...one, imports: [Below, shared(plugin('Same', one))] }))
  })

test('the parts of two schema controllers of one context go together', () => {
  const Metrics = plugin('Metrics', { schemaController: { compilersFactory: { buildSerializer: () => () => () => '1' } } })
  check(plugin('App', { schemaController: { coerceBodies: false }, imports: [shared(Metrics)] }))
})

test('routes of one path are declared twice only if their constraints are equal, whatever their order and kind', () => {
  const planFor = (constraints: Record<string, unknown>): Class => {
    @Controller('/plan', { constraints })
    class Plan {
      @Get()
      show() {
        return 'a plan'
      }
    }
    return Plan
  }
  const messages = (one: Record<string, unknown>, other: Record<string, unknown>): string[] =>
    messagesOf(plugin('App', { routes: [planFor(one), planFor(other)] }))
  const twice = ['GET /plan is declared twice: by App > Plan.show and by App > Plan.show. Give one of them another path, or constraints.']
  check(plugin('App', { routes: [planFor({ host: /^a\.example$/ }), planFor({ host: /^b\.example$/ }), planFor({ host: 'a.example' })] }))
  assert.deepEqual(messages({ host: /^a\.example$/ }, { host: /^a\.example$/ }), twice)
  assert.deepEqual(messages({ host: 'a', version: '1.0.0' }, { version: '1.0.0', host: 'a' }), twice)
})
