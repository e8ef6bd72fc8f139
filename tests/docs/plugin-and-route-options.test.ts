/** docs/reference/plugin-and-route-options.md: every option of plugins, providers and routes, and every key of a route's schema has a row. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { testServer } from 'alcove'
import { providerScopes } from '../../decorators/declare/injectable.js'
import { knownInjectedOptions, knownUseOptions } from '../../decorators/declare/imports.js'
import { knownPluginOptions } from '../../decorators/declare/plugin.js'
import { ecosystemRouteOptions, knownControllerOptions, knownRouteOptions } from '../../decorators/declare/route.js'
import { builtInTokens, tokenName } from '../../decorators/declare/tokens.js'
import { providerOptions } from '../../decorators/wiring/checks/options.js'
import { lifecycleHookNames } from '../../lib/context/hooks.js'
import { descriptionNames, partNames } from '../../lib/schema/route-schema-keys.js'
import { App } from '../../samples/reference/plugin.js'
import { closeCompiler, type Member, membersOf } from './declarations.js'
import { cellsOfMember, cellsOfOption, cellsOfText } from './options.js'
import { type Cells, holdTables, type Rows } from './tables.js'

describe('the page of the options of plugins and routes', () => {
  after(closeCompiler)

  test('has the rows, types and defaults of the sources', () => {
    const hooks = membersOf('lib/types/hooks.ts', 'Hooks')
    const keys = membersOf('lib/types/route.ts', 'RouteSchema')
    const keyRows = (names: readonly string[]): Rows => rowsOf(names, (name) => cellsOfText(keys.get(name), 'What it describes'))
    holdTables('plugin-and-route-options', {
      PluginOptions: rowsOf(knownPluginOptions, cellsIn('decorators/declare/plugin.ts', 'PluginOptions')),
      ContentTypeParserOptions: allIn('lib/types/request.ts', 'ContentTypeParserOptions'),
      UseOptions: rowsOf(knownUseOptions, ofType('decorators/declare/imports.ts', 'Known')),
      InjectedOptions: rowsOf(knownInjectedOptions, ofType('decorators/declare/imports.ts', 'InjectedOptions')),
      Providers: providerRows(),
      Scopes: rowsOf(providerScopes, () => ({})),
      BuiltInTokens: rowsOf(builtInTokens.map(tokenName), () => ({})),
      RouteOptions: routeRows(),
      RouteHooks: rowsOf(lifecycleHookNames, (name) => cellsOfText(hooks.get(name), 'When it runs')),
      EcosystemOptions: rowsOf(ecosystemRouteOptions, () => ({})),
      SchemaParts: keyRows(partNames),
      SchemaDescriptions: keyRows(descriptionNames),
      RouteDocs: allIn('lib/types/description.ts', 'RouteDocs'),
      QueueOptions: allIn('decorators/jobs/queue.ts', 'QueueOptions', cellsOfMember),
      AddOptions: allIn('decorators/jobs/queue.ts', 'AddOptions', cellsOfMember),
      QueueJobOptions: allIn('decorators/jobs/job.ts', 'QueueJobOptions', cellsOfMember),
      ScheduledJobOptions: allIn('decorators/jobs/job.ts', 'ScheduledJobOptions', cellsOfMember),
      EventJobOptions: allIn('decorators/jobs/job.ts', 'EventJobOptions', cellsOfMember),
      RetryOptions: allIn('decorators/jobs/driver.ts', 'RetryOptions', cellsOfMember),
      Deprecation: allIn('lib/types/description.ts', 'Deprecation'),
      RegisterOptions: allIn('lib/types/plugin.ts', 'RegisterOptions', cellsOfOption),
    })
  })

  test('shows an application that works', async () => {
    await using app = await testServer(App)
    assert.deepEqual((await app.inject('/v1/users/7')).json(), { id: 7 })
  })
})

function rowsOf(names: readonly string[], cells: (name: string) => Cells): Map<string, Cells> {
  return new Map(names.map((name) => [name, cells(name)]))
}

function cellsIn(file: string, type: string): (name: string) => Cells {
  const members = membersOf(file, type)
  return (name) => cellsOfMember(members.get(name)!)
}

function allIn(file: string, type: string, cells = cellsOfMember): Rows {
  const members = membersOf(file, type)
  return rowsOf([...members.keys()], (name) => cells(members.get(name)!))
}

/** Only the types: what these do is said at the function that takes them. */
function ofType(file: string, type: string): (name: string) => Cells {
  const members = membersOf(file, type)
  return (name) => cellsOfMember({ ...members.get(name)!, text: '' })
}

function providerRows(): Rows {
  const kinds = Object.entries(providerOptions)
  const beside = (key: string): string =>
    kinds.flatMap(([kind, keys]) => (keys.includes(key) && kind !== key ? [`\`${kind}\``] : [])).join(', ')
  return rowsOf([...new Set(kinds.flatMap(([, keys]) => keys))], (key) => ({ 'Taken beside': beside(key) || '`provide`' }))
}

/** The options of routes of both kinds. Those of classes come first, because their types are wider. */
function routeRows(): Rows {
  const ofServer = membersOf('lib/types/route.ts', 'RouteOptions')
  const ofClasses = membersOf('decorators/declare/route.ts', 'RouteNote')
  const ofControllers = membersOf('decorators/declare/route.ts', 'ControllerOptions')
  assert.deepEqual([...ofClasses.keys()].toSorted(), ['method', ...knownRouteOptions].toSorted())
  assert.deepEqual([...ofControllers.keys()].toSorted(), knownControllerOptions.toSorted())
  const members = new Map<string, Member>([...ofServer, ...ofClasses].filter(([name]) => !(lifecycleHookNames as string[]).includes(name)))
  return rowsOf([...members.keys()], (name) => {
    if (ofControllers.has(name)) assert.ok(ofServer.has(name), `server.route() has no option ${name}`)
    const inDecorators = name === 'method' ? '`@Route`' : 'decorators of routes'
    const places = [...(ofClasses.has(name) ? [inDecorators] : []), ...(ofServer.has(name) ? ['server'] : [])]
    return {
      ...cellsOfOption(name === 'method' ? ofServer.get(name)! : members.get(name)!),
      Where: ofControllers.has(name) ? 'everywhere' : places.join(', '),
    }
  })
}
