/** docs/reference/server-options.md: every option of `createServer` and of what is used beside it has a row, with its default. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { createServer } from 'alcove'
import { defaultTimes } from '../../lib/server/close-on-signals.js'
import { listenOptionNames } from '../../lib/server/network/listen-options.js'
import { defaultOptions, optionNames } from '../../lib/server/options.js'
import { server } from '../../samples/reference/server.js'
import { closeCompiler, membersOf } from './declarations.js'
import { cellsOfOption } from './options.js'
import { type Cells, holdTables, type Rows } from './tables.js'

const rowsOf = (file: string, type: string, defaults?: object): Map<string, Cells> =>
  new Map([...membersOf(file, type)].map(([name, member]) => [name, cellsOfOption(member, { ...defaults })]))

describe('the page of the options of the server', () => {
  after(closeCompiler)

  const serverOptions = rowsOf('lib/types/options.ts', 'ServerOptions', defaultOptions)
  const grouped = rowsOf('lib/types/options.ts', 'GroupedRouterOptions')
  const listen = rowsOf('lib/types/server.ts', 'ListenOptions')
  const inject = rowsOf('lib/types/inject.ts', 'InjectOptions')

  test('has the rows, types and defaults of the sources', () => {
    // Those of the router stand beside the others too.
    const onlyGrouped: Rows = new Map([...grouped].filter(([name]) => !serverOptions.has(name)))
    for (const name of listenOptionNames) if (!listen.has(name)) listen.set(name, {})
    holdTables('server-options', {
      ServerOptions: serverOptions,
      GroupedRouterOptions: onlyGrouped,
      JsvOptions: rowsOf('lib/types/compilers.ts', 'JsvOptions'),
      ListenOptions: listen,
      InjectOptions: inject,
      FetchOptions: rowsOf('lib/types/inject.ts', 'FetchOptions'),
      CloseOnSignalsOptions: rowsOf('lib/server/close-on-signals.ts', 'CloseOnSignalsOptions', defaultTimes),
      TestServerOptions: rowsOf('decorators/tools/testing.ts', 'TestServerOptions'),
      ProbeSettings: rowsOf('decorators/tools/probe/types.ts', 'ProbeSettings'),
      PrintRoutesOptions: rowsOf('lib/types/route.ts', 'PrintRoutesOptions'),
    })
  })

  test('names the options that the server checks, no others', () => {
    assert.deepEqual([...serverOptions.keys()].toSorted(), optionNames.toSorted())
  })

  test('shows options that the server takes', async () => {
    assert.equal(server.initialConfig.bodyLimit, 65_536)
    assert.equal(server.initialConfig.handlerTimeout, 10_000)
    await server.close()
  })

  test('has the defaults that a server without options shows', async () => {
    await using bare = createServer()
    assert.deepEqual({ ...bare.initialConfig }, defaultOptions)
  })
})
