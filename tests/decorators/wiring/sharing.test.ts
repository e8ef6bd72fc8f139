import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, type Class, type PluginOptions, requestDecorator, Route, Schema, shared, use, WiringError } from 'alcove'
import { plugin } from '../../fixtures/applications.js'

class Repo {}
class Asking {
  static readonly inject = [Repo] as const
  constructor(readonly repo: Repo) {}
}

const Database = plugin('Database', { providers: [Repo] })
const Api = plugin('Api', { providers: [Asking] })

function cureOf(App: Class): string | undefined {
  try {
    check(App)
  } catch (error) {
    return (error as WiringError).faults.map(({ cure }) => cure).join(' ')
  }
  return undefined
}

const inApp = 'Provide it in Api or an ancestor, or share that plugin: write imports: [shared(Database)] in App.'

for (const [title, cure, faulty, right] of [
  ['a sibling', inApp, [Database, Api], [shared(Database), Api]],
  [
    'a sibling of an ancestor',
    inApp,
    [Database, plugin('Version', { imports: [Api] })],
    [shared(Database), plugin('Version', { imports: [Api] })],
  ],
  [
    'a descendant of a sibling, which may keep its own import',
    inApp,
    [Api, plugin('Shop', { imports: [Database] })],
    [Api, plugin('Shop', { imports: [Database] }), shared(Database)],
  ],
  [
    'a plugin that a sibling shares',
    inApp,
    [Api, plugin('Shop', { imports: [shared(Database)] })],
    [Api, plugin('Shop', { imports: [shared(Database)] }), shared(Database)],
  ],
  [
    'a sibling that is imported with options',
    inApp.replace('shared(Database)', 'shared(use(Database, …))'),
    [Api, use(Database, { prefix: '/database' })],
    [Api, shared(use(Database, { prefix: '/database' }))],
  ],
  [
    'a descendant of a sibling, imported with options',
    inApp.replace('shared(Database)', 'shared(use(Database, …))').replace('App.', 'App, instead of its import in Shop.'),
    [Api, plugin('Shop', { imports: [use(Database, { prefix: '/database' })] })],
    [Api, plugin('Shop'), shared(use(Database, { prefix: '/database' }))],
  ],
] as const) {
  test(`the cure says which import shares the plugin that provides: ${title}`, () => {
    assert.equal(cureOf(plugin('App', { imports: faulty })), cure)
    assert.equal(cureOf(plugin('App', { imports: right })), undefined)
  })
}

test('the cure names the plugin that has to import, if that is below the application', () => {
  const shop = (imports: PluginOptions['imports']): Class => plugin('App', { imports: [plugin('Shop', { imports })] })
  assert.equal(cureOf(shop([Database, Api])), inApp.replace('App', 'Shop'))
  assert.equal(cureOf(shop([shared(Database), Api])), undefined)
})

test('of several plugins that provide the same, the cure names the one with the nearest ancestor', () => {
  const Other = plugin('Other', { providers: [Repo] })
  const shop = plugin('Shop', { imports: [Database, Api] })
  assert.equal(cureOf(plugin('App', { imports: [Other, shop] })), inApp.replace('App', 'Shop'))
})

test('the cure names a plugin by its class, and one without a name not at all', () => {
  const named = plugin('Database', { name: 'db', providers: [Repo] })
  assert.equal(cureOf(plugin('App', { imports: [named, Api] })), inApp)
  const unnamed = plugin('', { name: 'db', providers: [Repo] })
  assert.equal(cureOf(plugin('App', { imports: [unnamed, Api] })), 'Provide it in Api or an ancestor, or share that plugin.')
})

test('request decorators and schemas of a sibling have the same cure', () => {
  const User = requestDecorator('user', '')
  const Login = plugin('Login', { decorateRequest: [User] })
  const Requiring = plugin('Requiring', { requires: [User] })
  const inAncestor = 'Add it in an ancestor, or share that plugin: write imports: [shared(Login)] in App.'
  assert.equal(cureOf(plugin('App', { imports: [Login, Requiring] })), inAncestor)
  assert.equal(cureOf(plugin('App', { imports: [shared(Login), Requiring] })), undefined)

  @Route({ method: 'GET', path: '/' })
  @Schema({ response: { 200: { $ref: 'Note' } } })
  class Home {
    handle() {}
  }
  const Notes = plugin('Notes', { schemas: [{ $id: 'Note', type: 'object' }] })
  const Referring = plugin('Referring', { routes: [Home] })
  assert.equal(
    cureOf(plugin('App', { imports: [Notes, Referring] })),
    'Declare it in an ancestor, or share that plugin: write imports: [shared(Notes)] in App.',
  )
  assert.equal(cureOf(plugin('App', { imports: [shared(Notes), Referring] })), undefined)
})
