/** `alcove check --json`: faults as data. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { CheckReport, ReportedFault } from '../../../decorators/commands/json/report.js'
import { validatorOf } from '../../fixtures/json-documents.js'
import { holdText, project, readText } from '../../fixtures/project.js'

const pathOf = (file: string): string => fileURLToPath(new URL(`../../../${file}`, import.meta.url))
const validate = validatorOf('check')
const directory = mkdtempSync(join(tmpdir(), 'alcove-check-'))
after(() => rmSync(directory, { recursive: true }))

function moduleOf(name: string, source: string): string {
  const file = join(directory, name)
  writeFileSync(file, source.replace("'alcove'", JSON.stringify(new URL('../../../decorators/index.js', import.meta.url).href)))
  return file
}

interface Result {
  readonly code: number
  readonly report: CheckReport
  readonly stderr: string
}

/** Runs the command. Its standard output must be one JSON document of the form of the schema. */
async function check(...args: string[]): Promise<Result> {
  const run = promisify(execFile)(process.execPath, [pathOf('decorators/cli.js'), 'check', ...args, '--json'])
  const { code, stdout, stderr } = await run.then(
    (output) => ({ ...output, code: 0 }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  )
  const report = JSON.parse(stdout) as CheckReport
  validate(report)
  return { code, report, stderr }
}

async function onlyFault(...args: string[]): Promise<ReportedFault> {
  const { code, report } = await check(...args)
  assert.deepEqual([code, report.ok, report.faults.length], [1, false, 1], JSON.stringify(report))
  return report.faults[0]!
}

test('an application without faults is ok, and the command exits 0', async () => {
  const { code, report } = await check(pathOf('samples/contexts/app.js'))
  assert.deepEqual(
    [code, report],
    [0, { version: 1, ok: true, module: pathOf('samples/contexts/app.js'), application: 'App', faults: [], warnings: [] }],
  )
})

test('each fault of the wiring has its kind, place, cure, page, class and file; of the source if there is a source map', async () => {
  const source = readFileSync(join(project, 'tests/fixtures/faulty-wiring.ts'), 'utf8').split('\n')
  const { code, report } = await check(pathOf('tests/fixtures/faulty-wiring.js'))
  assert.equal(code, 1)
  const [body, provider, ...others] = report.faults.map(({ column: _column, message: _message, ...fault }) => fault)
  const file = join(project, 'tests/fixtures/faulty-wiring.ts')
  assert.deepEqual(body, {
    source: 'wiring',
    code: 'BODY_SCHEMA_ON_BODYLESS_METHOD',
    place: 'App > InvoiceController.find',
    path: ['App', 'InvoiceController.find'],
    cure: 'Use POST, PUT or PATCH, or leave out the schema.',
    docs: 'docs/reference/errors.md#body_schema_on_bodyless_method',
    class: 'InvoiceController',
    file,
    line: source.findIndex((line) => line.includes('find()')) + 1,
  })
  assert.deepEqual(provider, {
    source: 'wiring',
    code: 'PROVIDER_NOT_VISIBLE',
    place: 'App > Invoices',
    path: ['App', 'Invoices'],
    cure: 'Provide it in App or an ancestor, or share that plugin: write imports: [shared(UsersPlugin)] in App.',
    docs: 'docs/reference/errors.md#provider_not_visible',
    class: 'Invoices',
    file,
    line: source.findIndex((line) => line.includes('constructor(')) + 1,
  })
  assert.deepEqual(others, [])
  assert.match(
    report.faults[1]!.message,
    /^Invoices \(in App\) asks for Repo, .* Provide it in App or an ancestor, or share that plugin: write imports: .*\.$/,
  )
})

test('the reference shows the document of this application', async () => {
  const { report } = await check(pathOf('tests/fixtures/faulty-wiring.js'))
  const shown = JSON.stringify({ ...report, module: 'dist/app.js' }, null, 2).replaceAll(
    join(project, 'tests/fixtures/faulty-wiring.ts'),
    '/home/ada/shop/src/app.ts',
  )
  const page = 'docs/reference/explain.md'
  const current = readText(page).replace(/(```json\n)[^]*?(?=```)/, (_found, begin: string) => `${begin}${shown}\n`)
  holdText(page, current)
})

test('two classes of one name in one plugin are not told apart, so such a fault has no file', async () => {
  const file = moduleOf(
    'twins.mjs',
    `import { Plugin } from 'alcove'
     const make = (token) => class Twin { static inject = [token]; constructor(value) {} }
     export class App {}
     Plugin({ providers: [make('one'), { provide: 'two', useClass: make('nothing') }, { provide: 'one', useValue: 1 }] })(App)`,
  )
  const { class: Class, file: where, place } = await onlyFault(file)
  assert.deepEqual([place, Class, where], ['App > Twin', undefined, undefined])
})

test('what modules of the application write to standard output goes to standard error', async () => {
  const file = moduleOf(
    'noisy.mjs',
    `import { writeSync } from 'node:fs'
     import { Plugin } from 'alcove'
     console.log('by the console')
     writeSync(1, 'past process.stdout\\n')
     process.send?.({ hello: 'parent' })
     export class App {}
     Plugin({})(App)
     setInterval(() => {}, 1000)`,
  )
  const { code, report, stderr } = await check(file)
  assert.deepEqual([code, report.ok], [0, true])
  assert.match(stderr, /by the console\npast process\.stdout/)
})

describe('a module that cannot be loaded is a fault of the source "module":', () => {
  test('one that does not exist', async () => {
    const { source, code } = await onlyFault(join(directory, 'missing.mjs'))
    assert.deepEqual([source, code], ['module', 'ERR_MODULE_NOT_FOUND'])
  })

  test('one that throws, with the line', async () => {
    const file = moduleOf('throws.mjs', `\nnull.length`)
    const fault = await onlyFault(file)
    assert.deepEqual([fault.source, fault.code, fault.file, fault.line], ['module', 'TypeError', file, 2])
  })

  test('one that throws something that is not an error', async () => {
    const { source, code, message } = await onlyFault(moduleOf('throws-text.mjs', `throw 'no'`))
    assert.deepEqual([source, code, message], ['module', 'Error', 'no'])
  })

  describe('one that reads a class before it is declared, with the modules and the cure', () => {
    const users = `import { Plugin } from 'alcove'
      import { Orders } from './orders.mjs'
      export class Users { static inject = [Orders] }
      Plugin({ providers: [Users] })(class App {})`

    test('in a circle of two modules', async () => {
      const main = moduleOf('users.mjs', users)
      const file = moduleOf('orders.mjs', `import { Users } from "./users.mjs"\n\nexport class Orders { static inject = [Users] }`)
      const fault = await onlyFault(main)
      const [shownFile, shownMain] = [file, main].map((each) => relative(process.cwd(), each))
      const cure = 'Move what they need of each other into a further module. In a schema, write ref(() => Users).'
      assert.deepEqual(fault, {
        source: 'module',
        code: 'CLASS_USED_BEFORE_DECLARATION',
        message: `${shownFile}:3 reads Users before it is declared: these modules import each other, and it is declared in ${shownMain}: ${shownFile} > ${shownMain} > ${shownFile}. ${cure}`,
        cure,
        docs: 'docs/reference/errors.md#circles-of-imports',
        class: 'Users',
        file,
        line: 3,
        column: fault.column,
      })
    })

    test('in a circle of three', async () => {
      const main = moduleOf('users.mjs', users)
      moduleOf('orders.mjs', `export { Orders } from './own-orders.mjs'`)
      moduleOf(
        'own-orders.mjs',
        `import fs from 'node:fs'\nimport { Users as U } from './users.mjs'\nexport class Orders { static inject = [U] }`,
      )
      const { message, line } = await onlyFault(main)
      assert.match(message, /own-orders\.mjs > .*users\.mjs > .*[/]orders\.mjs > .*own-orders\.mjs\. Move/)
      assert.equal(line, 3)
    })

    test('in one module', async () => {
      const file = moduleOf('alone.mjs', `class Orders { static inject = [Users] }\nclass Users {}`)
      const { message, class: read, line } = await onlyFault(file)
      assert.match(message, /alone\.mjs:1 reads Users before it is declared: its declaration stands further down\. Declare it first\./)
      assert.deepEqual([read, line], ['Users', 1])
    })
  })

  test('one that ends the process', async () => {
    const { source, code, cure, docs } = await onlyFault(moduleOf('ends.mjs', `process.exit(0)`))
    assert.deepEqual([source, code, docs], ['module', 'PROCESS_ENDED', 'docs/reference/errors.md#process_ended'])
    assert.match(cure!, /^Export the plugin class from a module/)
  })
})

test('an error of the framework while a module is loaded has its code and its row in the reference', async () => {
  const file = moduleOf('bad-environment.mjs', `import { environment } from 'alcove'\nexport class Settings extends environment({}) {}`)
  const { source, code, docs } = await onlyFault(file)
  assert.deepEqual(
    [source, code, docs],
    ['server', 'ALC_ERR_ENVIRONMENT_SCHEMA_INVALID', 'docs/reference/errors.md#alc_err_environment_schema_invalid'],
  )
})

test('a command that is used wrongly is a fault of the source "command"', async () => {
  const without = await onlyFault(moduleOf('empty.mjs', ''))
  assert.deepEqual([without.source, without.code, without.docs], ['command', 'USAGE', 'docs/reference/cli.md'])
  assert.match((await onlyFault(pathOf('samples/contexts/app.js'), '--otu')).message, /^Unknown option '--otu'/)
  assert.match((await onlyFault()).message, /^alcove new/)
})

test('exported options of the document that are wrong are a fault of the source "command"', async () => {
  const exported = moduleOf(
    'document.mjs',
    `export { App } from ${JSON.stringify(pathOf('samples/contexts/app.js'))}\nexport const document = { info: 3 }`,
  )
  const { source, code, message, file, docs } = await onlyFault(exported, '--contract')
  assert.deepEqual([source, code, file, docs], ['command', 'USAGE', undefined, 'docs/reference/cli.md'])
  assert.match(message, /document\.mjs exports options of the document that are wrong: write info: \{ title: '…', version: '1\.0\.0' \}\.$/)
})

test('a route that is past its sunset is a warning, and the check does not fail', async () => {
  const file = moduleOf(
    'sunsets.mjs',
    `import { Controller, Get, Plugin } from 'alcove'
class Orders { old() {} late() {} current() {} }
Get({ path: '/old', deprecated: { since: '2020-01-01', sunset: '2021-01-01' } })(Orders.prototype, 'old', Object.getOwnPropertyDescriptor(Orders.prototype, 'old'))
Get({ path: '/late', deprecated: { since: '2020-01-01', sunset: '2099-01-01' } })(Orders.prototype, 'late', Object.getOwnPropertyDescriptor(Orders.prototype, 'late'))
Get('/current')(Orders.prototype, 'current', Object.getOwnPropertyDescriptor(Orders.prototype, 'current'))
Controller('/orders')(Orders)
export class App {}
Plugin({ routes: [Orders] })(App)`,
  )
  const message =
    'GET /orders/old (App > Orders.old) is still there after its sunset, 2021-01-01. Remove the route, or write a later sunset.'
  const { code, report } = await check(file)
  assert.deepEqual([code, report.ok, report.warnings], [0, true, [{ source: 'wiring', code: 'past-sunset', message }]])
  const printed = await promisify(execFile)(process.execPath, [pathOf('decorators/cli.js'), 'check', file])
  assert.deepEqual(printed, { stdout: 'The wiring of App is correct.\n', stderr: `${message}\n` })
})

test('the schemas that do not compile are faults, each with the place of its route', async () => {
  const file = moduleOf(
    'schemas.mjs',
    `import { Controller, Get, Plugin } from 'alcove'
class Orders { one() {} two() {} }
const query = (property) => ({ query: { type: 'object', properties: { property } } })
Get('/one', query({ type: 'string', maxLenght: 3 }))(Orders.prototype, 'one', Object.getOwnPropertyDescriptor(Orders.prototype, 'one'))
Get('/two', query({ type: 'text' }))(Orders.prototype, 'two', Object.getOwnPropertyDescriptor(Orders.prototype, 'two'))
Controller('/orders')(Orders)
export class App {}
Plugin({ routes: [Orders] })(App)
export const options = { jsv: { customOptions: { keywords: ['maxLenght'] } } }
export const none = {}`,
  )
  const { code, report } = await check(file, '--options', 'none')
  assert.equal(code, 1)
  assert.deepEqual(
    report.faults.map(({ source, code: kind, place }) => [source, kind, place]),
    ['one', 'two'].map((name) => ['server', 'ALC_ERR_SCH_VALIDATION_BUILD', `App > Orders.${name}`]),
  )
  assert.equal((await onlyFault(file)).place, 'App > Orders.two', 'the exported options of the server count')
  const { stderr } = await promisify(execFile)(process.execPath, [pathOf('decorators/cli.js'), 'check', file]).then(
    () => assert.fail('the command fails'),
    (error: { stderr: string }) => error,
  )
  assert.match(stderr, /^App > Orders\.two: Failed building the validation schema for GET: \/orders\/two, .*\n$/, 'without a stack')
})

test('each variable of a file has its fault with line and cure, and those that are not read are warnings', async () => {
  const file = join(directory, '.env')
  writeFileSync(file, 'DATABASE_URL=postgres://db/x\nPORT=many\nDATABSE_URL=x\nHOME_PAGE=1\n')
  const module = moduleOf(
    'configured.mjs',
    `import { environment, Plugin } from 'alcove'
     const properties = { PORT: { type: 'integer' }, DATABASE_URL: { type: 'string' }, TOKEN: { type: 'string' } }
     class Settings extends environment({ type: 'object', required: ['TOKEN'], properties }) {}
     export class App {}
     Plugin({ providers: [Settings] })(App)`,
  )
  const { code, report } = await check(module, '--env', file)
  assert.equal(code, 1)
  const facts = report.faults.map(({ variable, line, cure, place, docs }) => ({ variable, line, cure, place, docs }))
  const docs = 'docs/reference/errors.md#alc_err_environment_invalid'
  assert.deepEqual(facts, [
    { variable: 'TOKEN', line: undefined, cure: 'It must be a text.', place: 'App > Settings', docs },
    { variable: 'PORT', line: 2, cure: 'It must be a whole number.', place: 'App > Settings', docs },
  ])
  assert.deepEqual(
    report.warnings.map(({ code: kind, variable, line, file: from }) => [kind, variable, line, from]),
    [
      ['unread-variable', 'DATABSE_URL', 3, file],
      ['unread-variable', 'HOME_PAGE', 4, file],
    ],
  )
  writeFileSync(file, 'TOKNE=a\n')
  const [misspelt, missing] = (await check(module, '--env', file)).report.faults
  assert.deepEqual([misspelt!.variable, misspelt!.line, misspelt!.cure], ['TOKNE', 1, 'Did you mean TOKEN?'])
  assert.deepEqual([missing!.variable, missing!.cure], ['TOKEN', 'It must be a text.'])
})

test('what a document could say better is a warning', async () => {
  for (const [file, kind] of [
    ['samples/contexts/app.js', 'undescribed'],
    ['samples/guide/plugins.js', 'may-add-routes'],
  ] as const) {
    const { code, report } = await check(pathOf(file), '--contract')
    assert.equal(code, 0)
    assert.deepEqual([...new Set(report.warnings.map(({ source, code: found }) => `${source} ${found}`))], [`contract ${kind}`])
  }
})
