/** The command line: check, explain, new. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { holdText } from '../fixtures/project.js'

const cli = fileURLToPath(new URL('../../decorators/cli.js', import.meta.url))
const contexts = fileURLToPath(new URL('../../samples/contexts/app.js', import.meta.url))

function alcove(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout: stripVTControlCharacters(stdout), stderr })
    })
  })
}

const directory = await mkdtemp(join(tmpdir(), 'alcove-cli-'))

async function moduleOf(source: string): Promise<string> {
  const file = join(directory, `${Math.random().toString(36).slice(2)}.mjs`)
  await writeFile(file, source.replace("'alcove'", JSON.stringify(new URL('../../decorators/index.js', import.meta.url).href)))
  return file
}

test('check proves the wiring of a module and exits 0', async () => {
  const { code, stdout } = await alcove('check', contexts)
  assert.deepEqual([code, stdout.trim()], [0, 'The wiring of App is correct.'])
})

test('a program that ends before it has read all of the output is no error', async () => {
  const child = spawn(process.execPath, [cli, 'explain', contexts])
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += String(chunk)))
  child.stdout.destroy()
  const [code] = (await once(child, 'close')) as [number]
  assert.deepEqual([code, errors], [0, ''])
})

test('a module that ends the process with 0 while it is loaded makes a command fail with a cure', async () => {
  const file = await moduleOf('process.exit(0)')
  const text =
    'The process ended (0) before the command was over: a module of the application ended it, or waits at its top level for a promise that never settles. Export the plugin class from a module that neither starts a server nor ends the process.\n'
  const rows: [number, ...string[]][] = [
    [1, 'check', file],
    [1, 'lock', file],
    [1, 'openapi', file],
    [1, 'client', file],
    [1, 'explain', file, '--json'],
    // For diff, 1 says that clients break.
    [2, 'diff', file, file],
    [2, 'diff', file, file, '--json'],
  ]
  for (const [code, ...args] of rows) assert.deepEqual(await alcove(...args), { code, stdout: '', stderr: text }, args.join(' '))
  const own = await alcove('check', await moduleOf('process.exit(3)'))
  assert.deepEqual([own.code, own.stdout], [3, ''])
  assert.match(own.stderr, /^The process ended \(3\) before/)
})

test('check reports every fault without a stack and exits 1, and constructs nothing', async () => {
  const file = await moduleOf(`
    import { Plugin } from 'alcove'
    class Repo { constructor() { console.log('constructed') } }
    class Service { static inject = [Repo]; constructor(repo) {} }
    class Other { static inject = ['nothing']; constructor(value) {} }
    class Users {}
    Plugin({ providers: [Repo] })(Users)
    export class App {}
    Plugin({ imports: [Users], providers: [Service, Other] })(App)
  `)
  const { code, stdout, stderr } = await alcove('check', file)
  assert.deepEqual([code, stdout], [1, ''])
  assert.deepEqual(stderr.trim().split('\n'), [
    'The wiring of App has 2 faults:',
    '  - Service (in App) asks for Repo, which is not visible there. It is provided in App > Users. Provide it in App or an ancestor, or share that plugin: write imports: [shared(Users)] in App.',
    "  - Other (in App) asks for 'nothing', which no plugin provides. Add it to the providers of App or of an ancestor.",
    'For an explanation: npx alcove errors PROVIDER_NOT_VISIBLE PROVIDER_UNKNOWN',
  ])
})

test('check explains a circle of modules without a stack', async () => {
  const [one, other] = [join(directory, 'one.mjs'), join(directory, 'other.mjs')]
  await writeFile(one, `import { Other } from './other.mjs'\nexport class One { static inject = [Other] }`)
  await writeFile(other, `import { One } from './one.mjs'\nexport class Other { static inject = [One] }`)
  const { code, stderr } = await alcove('check', one)
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^.*other\.mjs:2 reads One before it is declared: these modules import each other, .* In a schema, write ref\(\(\) => One\)\.\n$/,
  )
})

test('lock writes the lock of an application, and says in words what changed since', async () => {
  const out = join(directory, 'own.lock')
  const written = await alcove('lock', contexts, '--out', out)
  assert.deepEqual([written.code, written.stdout, written.stderr], [0, `${out} is written: plugins: 4, routes: 4.\n`, ''])
  const same = await alcove('lock', contexts, '--out', out, '--check')
  assert.deepEqual([same.code, same.stdout, same.stderr], [0, '', ''])
  const text = await readFile(out, 'utf8')
  const other = text
    .replaceAll(/( {4}handler Get(?:Two|Three), .*)/g, '$1\n    hooks onRequest RequireUser (App)')
    .replace(' prefix ', ' prefix /v1')
  await writeFile(out, other.replace('    security bearer\n', ''))
  const changed = await alcove('lock', contexts, '--out', out, '--check')
  assert.deepEqual(
    [changed.code, changed.stdout, changed.stderr.split('\n')],
    [
      1,
      '',
      [
        `${out} is not what the application has now:`,
        '  GET /one requires bearer instead of nothing',
        '  GET /two, GET /three lost the guard RequireUser (onRequest) of App',
        `If this is wanted, write it again: alcove lock ${contexts} --out ${out}`,
        '',
      ],
    ],
  )
})

test('the lock and the changes that docs/how-to/access-rules.md shows are those of its application', async () => {
  const app = fileURLToPath(new URL('../../samples/how-to/access-rules.js', import.meta.url))
  const out = join(directory, 'shown.lock')
  assert.equal((await alcove('lock', app, '--out', out)).code, 0)
  const text = await readFile(out, 'utf8')
  holdText('samples/how-to/access-rules.lock', text)
  const before = text
    .replace(
      '    hooks onRequest RequireUser (route)\n',
      '    hooks onRequest RequireUser (route), preHandler CheckCard (route)\n    input body 0123456789ab\n',
    )
    .replace('  gives Sessions, context', '  gives Sessions, request')
  await writeFile(out, before)
  const { code, stderr } = await alcove('lock', app, '--out', out, '--check')
  assert.equal(code, 1)
  holdText(
    'samples/how-to/access-rules.txt',
    stderr.replaceAll(` --out ${out}`, '').replaceAll(out, 'alcove.lock').replaceAll(app, 'dist/app.js'),
  )
})

test('lock says that the file to compare is missing or is not a lock', async () => {
  const out = join(directory, 'other.lock')
  const missing = await alcove('lock', contexts, '--out', out, '--check')
  assert.deepEqual([missing.code, missing.stderr], [1, `${out} does not exist. Write it: alcove lock ${contexts} --out ${out}\n`])
  await writeFile(out, 'alcove lock 1\nplugin App\n  prefx /users\n')
  const corrupt = await alcove('lock', contexts, '--out', out, '--check')
  assert.deepEqual(
    [corrupt.code, corrupt.stderr],
    [1, `${out}: line 3 is not a line of alcove lock: prefx /users. Write the file again.\n`],
  )
})

test('a file that cannot be written is named', async () => {
  const { code, stderr } = await alcove('lock', contexts, '--out', directory)
  assert.deepEqual([code, stderr.split(':')[0]], [1, `${directory} cannot be written`])
})

test('client, lock, openapi and explain create the folders of the file that they write', async () => {
  for (const [command, flag, name] of [
    ['client', '--out', 'client.ts'],
    ['lock', '--out', 'own.lock'],
    ['openapi', '--out', 'openapi.json'],
    ['explain', '--html', 'page.html'],
  ] as const) {
    const file = join(directory, 'new', command, name)
    const { code, stderr } = await alcove(command, contexts, flag, file)
    assert.equal(code, 0, stderr)
    assert.notEqual(await readFile(file, 'utf8'), '')
  }
})

test('client writes the client of an application, and compares it', async () => {
  const out = join(directory, 'client.ts')
  assert.match((await alcove('client', contexts)).stdout, /^\/\/ The client of App, written by `alcove client`\./)
  assert.deepEqual((await alcove('client', contexts, '--out', out)).code, 0)
  assert.match(await readFile(out, 'utf8'), /export function createClient/)
  const same = await alcove('client', contexts, '--out', out, '--check')
  assert.deepEqual([same.code, same.stdout, same.stderr], [0, '', ''])
  // As formatters write it.
  const formatted = (await readFile(out, 'utf8'))
    .replaceAll('Call<HttpReply', 'Call<\n    | HttpReply')
    .replace('() => HeaderFields', '() =>\n    | HeaderFields')
    .replaceAll('"', "'")
  await writeFile(out, formatted)
  assert.equal((await alcove('client', contexts, '--out', out, '--check')).code, 0)
  await writeFile(out, formatted.replace('| HttpReply<401', '| HttpReply<403'))
  assert.equal((await alcove('client', contexts, '--out', out, '--check')).code, 1)
  await writeFile(out, '// old')
  const { code, stderr } = await alcove('client', contexts, '--out', out, '--check')
  assert.deepEqual(
    [code, stderr],
    [1, `${out} is not what the application has now. Write it again: alcove client ${contexts} --out ${out}\n`],
  )
  const withOptions = await alcove('client', contexts, '--out', out, '--check', '--dates', '--msw')
  assert.match(withOptions.stderr, / again: alcove client .* --dates --msw --out /)
  const without = await alcove('client', contexts, '--check')
  assert.deepEqual([without.code, without.stderr], [1, 'alcove client --check compares a file: name it, --out client.ts\n'])
})

test('probe prints what it finds with a test of each finding and exits 1; with nothing found it exits 0', async () => {
  const file = await moduleOf(`
    import { HttpError, Plugin, Route } from 'alcove'
    class Guard { onRequest({ headers }) { if (headers.authorization !== 'Bearer right') throw new HttpError(401) } }
    class Crash { handle({ query }) { if (query.a === '') throw new Error('empty'); return {} } }
    Route({ method: 'GET', path: '/crash' }, { querystring: { type: 'object', properties: { a: { type: 'string' } } } })(Crash)
    class Hang { handle() { setInterval(() => {}, 1000); return new Promise(() => {}) } }
    Route({ method: 'GET', path: '/hang' })(Hang)
    export class App {}
    Plugin({ hooks: { onRequest: Guard }, routes: [Crash, Hang] })(App)
    export const probe = { headers: { authorization: 'Bearer right' } }
  `)
  const found = await alcove('probe', file, '--timeout', '100', '--requests', '40')
  assert.deepEqual([found.code, found.stderr], [1, ''])
  assert.match(found.stdout, /^\d+ requests to 2 routes, seed 1: 2 findings\./)
  assert.match(found.stdout, /\nGET \/crash \(App > Crash\) answers 500: Error: empty/)
  assert.match(found.stdout, /\ntest\('GET \/crash does not answer 500 to an empty text as the query parameter a', async/)
  assert.match(found.stdout, /\nGET \/hang \(App > Hang\) does not answer within 100 ms: App > Hang sends no reply\.\n/)
  const refused = await alcove('probe', file, '--header', 'authorization: Bearer wrong', '--requests', '10')
  assert.equal(refused.code, 0)
  assert.match(refused.stdout, /seed 1: nothing was found\.\n\nNo request reached the handlers of GET \/crash, GET \/hang\./)
  const wrong = await alcove('probe', file, '--seed', 'x')
  assert.deepEqual([wrong.code, wrong.stderr], [1, '--seed is a whole number, not x.\n'])
  const unknown = await alcove('probe', file, '--route', '/nots')
  assert.deepEqual(
    [unknown.code, unknown.stderr],
    [1, "probe has the pattern '/nots' in routes, which no route matches. Its routes are: GET /crash, GET /hang.\n"],
  )
})

test('explain prints the tree, a route, JSON or a page', async () => {
  assert.match((await alcove('explain', contexts)).stdout, /^App {2}\(request\.answer\)/)
  assert.match((await alcove('explain', contexts, 'GET /two')).stdout, /hidden from it:\n {2}bar/)
  assert.equal(JSON.parse((await alcove('explain', contexts, '/two', '--json')).stdout).context, 'App > PublicPlugin')
  const page = join(directory, 'page.html')
  assert.equal((await alcove('explain', contexts, '--html', page)).code, 0)
  assert.match(await readFile(page, 'utf8'), /^<!doctype html>/)
})

test('a page of explain compares with an earlier explanation, and refuses what is none', async () => {
  const [page, old, broken] = [join(directory, 'compared.html'), join(directory, 'old.json'), join(directory, 'broken.json')]
  await writeFile(old, (await alcove('explain', contexts, '--export', 'SharingApp', '--json')).stdout)
  assert.equal((await alcove('explain', contexts, '--html', page, '--compare', old)).code, 0)
  const [, compared] = /id="old">([^<]*)</.exec(await readFile(page, 'utf8'))!
  assert.ok(compared!.includes('SharingApp'), 'the page has the earlier explanation')

  await writeFile(broken, '{ "version": 1 }')
  const cure = 'Write it with the application to compare with: alcove explain old.js --json > old.json\n'
  for (const [args, text] of [
    [['--html', page, '--compare', broken], `${broken} is not an explanation of an application, with the version 1. ${cure}`],
    [['--html', page, '--compare', page], `${page} is not JSON. ${cure}`],
    [['--html', page, '--compare', join(directory, 'none.json')], `${join(directory, 'none.json')} cannot be read. ${cure}`],
    [['--compare', old], '--compare is shown on a page: name it, --html page.html\n'],
  ] as const) {
    const { code, stderr } = await alcove('explain', contexts, ...args)
    assert.deepEqual([code, stderr], [1, text])
  }
})

test('another export is chosen by name, and a module without a plugin class says what it has', async () => {
  assert.match((await alcove('explain', contexts, '--export', 'SharingApp', '/two')).stdout, /bar {2}\(App > PublicPlugin\)/)
  const { code, stderr } = await alcove('check', await moduleOf('export class Something {}'))
  assert.equal(code, 1)
  assert.match(stderr, /exports neither a default plugin class, nor one named App, nor exactly one\. Plugin classes there: none\./)
})

test('an only plugin class needs no name, and one that is not there is named', async () => {
  const file = await moduleOf(`
    import { Plugin } from 'alcove'
    export class Shop {}
    Plugin({})(Shop)
  `)
  assert.equal((await alcove('check', file)).stdout.trim(), 'The wiring of Shop is correct.')
  const { code, stderr } = await alcove('check', file, '--export', 'Stop')
  assert.deepEqual([code, stderr.trim()], [1, `${file} exports no plugin class named Stop. Plugin classes there: Shop.`])
})

test('the tree may be printed as JSON, and its routes as text', async () => {
  const tree = JSON.parse((await alcove('explain', contexts, '--json')).stdout)
  assert.equal(tree.root.name, 'App')
})

test('explain shows the application with the options that its module exports, or others by name', async () => {
  const file = await moduleOf(`
    import { Plugin } from 'alcove'
    export class App {
      setup(server) {
        if (!server.initialConfig.return503OnClosing) throw new Error('not without its options')
      }
    }
    Plugin({})(App)
    export const options = { return503OnClosing: true }
    export const others = { return503OnClosing: false }
  `)
  assert.equal((await alcove('explain', file)).code, 0)
  assert.match((await alcove('explain', file, '--options', 'others')).stderr, /not without its options/)
})

test('build takes options by name, refuses those that are none, and writes beside the module by default', async () => {
  const file = await moduleOf(`
    import { Plugin } from 'alcove'
    export class App {}
    Plugin({})(App)
    export const strict = { caseSensitive: false }
    export const nothing = null
    export const text = 'x'
  `)
  const beside = await alcove('build', file)
  assert.deepEqual(
    [beside.code, beside.stdout.trim()],
    [0, `App is built: import ${join(directory, 'alcove.build', 'index.mjs')} and pass it to bootstrap as the option prebuilt.`],
  )
  assert.ok((await readdir(join(directory, 'alcove.build'))).includes('index.mjs'))
  assert.equal((await alcove('build', file, '--options', 'strict', '--out', join(directory, 'out'))).code, 0)
  for (const name of ['nothing', 'text', 'missing']) {
    const { code, stderr } = await alcove('build', file, '--options', name, '--out', join(directory, 'out'))
    assert.deepEqual([code, stderr.trim()], [1, `${file} exports no options named ${name}.`])
  }
})

test('without a command, or with --help, the usage is printed', async () => {
  for (const args of [[], ['--help'], ['check', '-h']]) {
    const { code, stdout } = await alcove(...args)
    assert.equal(code, 0)
    assert.match(stdout, /alcove check/)
  }
})

test('flags may precede the command, and its misuse has the exit code of the command', async () => {
  assert.equal((await alcove('--export', 'App', 'check', contexts)).code, 0)
  for (const args of [
    ['--json', 'diff', 'missing.json', 'other.json'],
    ['--seed', '3', 'diff', 'missing.json', 'other.json'],
  ])
    assert.equal((await alcove(...args)).code, 2, args.join(' '))
  const { stdout } = await alcove('check', '--json', contexts, '--wrong')
  assert.equal(JSON.parse(stdout).module, contexts)
})

test('explain names the routes if there is no such route, and writes a page and JSON together', async () => {
  const missing = await alcove('explain', contexts, 'GET /missing')
  assert.deepEqual([missing.code, missing.stderr.split('\n').length], [1, 2])
  assert.match(missing.stderr, /^There is no route 'GET \/missing'\. Routes are: GET \/one/)
  const page = join(directory, 'together.html')
  const { stdout } = await alcove('explain', contexts, '--json', '--html', page)
  assert.equal(JSON.parse(stdout).version, 1)
  assert.match(await readFile(page, 'utf8'), /^<!doctype html>/i)
})

test('what nobody expected is shown with its stack', async () => {
  const file = await moduleOf(`throw new RangeError('out of range')`)
  const { code, stderr } = await alcove('check', file)
  assert.equal(code, 1)
  assert.match(stderr, /RangeError: out of range\n\s+at /)
})

test('an unknown command or option shows the usage', async () => {
  for (const args of [['chek', contexts], ['check'], ['check', contexts, '--jsn']]) {
    const { code, stderr } = await alcove(...args)
    assert.equal(code, 1)
    assert.doesNotMatch(stderr, /\n {4}at /)
  }
})

const configured = `
  import { environment, Plugin } from 'alcove'
  export class Settings extends environment({
    type: 'object',
    required: ['DATABASE_URL', 'JWT_SECRET'],
    properties: { PORT: { type: 'integer', default: 3000 }, DATABASE_URL: { type: 'string' }, JWT_SECRET: { type: 'string', minLength: 32 } },
  }) {
    constructor(...given) { super(...given); console.log('PORT is ' + this.PORT) }
  }
  export class App {}
  Plugin({ providers: [Settings] })(App)
`

/** A file of variables. */
async function envFileOf(...lines: string[]): Promise<string> {
  const file = join(directory, `.env.${Math.random().toString(36).slice(2)}`)
  await writeFile(file, lines.join('\n'))
  return file
}

test('check --env proves a file of variables, and constructs nothing', async () => {
  const secret = `JWT_SECRET='${'x'.repeat(32)}'`
  const file = await envFileOf('# for production', 'export DATABASE_URL=postgres://db/shop', secret)
  const { code, stdout, stderr } = await alcove('check', await moduleOf(configured), '--env', file)
  assert.deepEqual([code, stderr], [0, ''])
  assert.deepEqual(stdout.trim().split('\n'), ['The wiring of App is correct.', `${file} has all variables that App needs.`])
})

test('check --env names all faults of a file with their lines, and no values', async () => {
  const file = await envFileOf('DATABSE_URL=postgres://hunter2', '', 'PORT=80', 'export PORT=hunter2', 'TZ=UTC')
  const { code, stdout, stderr } = await alcove('check', await moduleOf(configured), '--env', file)
  assert.deepEqual([code, stdout.trim()], [1, 'The wiring of App is correct.'])
  assert.deepEqual(stderr.trim().split('\n'), [
    `${file}:5: TZ is not read by the application.`,
    `${file} has 4 faults:`,
    `  - ${file}:1: DATABSE_URL is not a variable of the application. Did you mean DATABASE_URL?`,
    `  - ${file}: DATABASE_URL (App > Settings) is missing. It must be a text.`,
    `  - ${file}: JWT_SECRET (App > Settings) is missing. It must be a text of at least 32 characters.`,
    `  - ${file}:4: PORT (App > Settings) must be a whole number.`,
  ])
})

test('check --env shows no text of a line that is not a variable, which may be the rest of a secret', async () => {
  const file = await envFileOf('DATABASE_URL=pglite:', `JWT_SECRET=${'x'.repeat(32)}`, 'hunter2/+', 'PORT=1', 'hunter3 hunter4=5')
  const { code, stderr } = await alcove('check', await moduleOf(configured), '--env', file)
  assert.equal(code, 0)
  const problem = 'The line is not of the form NAME=value, so a part of it is read as a name.'
  assert.deepEqual(stderr.trim().split('\n'), [`${file}:3: ${problem}`, `${file}:5: ${problem}`])
  const { warnings } = JSON.parse((await alcove('check', await moduleOf(configured), '--env', file, '--json')).stdout) as {
    warnings: object[]
  }
  assert.doesNotMatch(JSON.stringify(warnings), /hunter/)
})

test('check --env needs a file that can be read, and an application with a configuration', async () => {
  const missing = await alcove('check', await moduleOf(configured), '--env', join(directory, 'nowhere'))
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /^The file of --env cannot be read: ENOENT/)
  const without = await alcove('check', contexts, '--env', await envFileOf('PORT=1'))
  assert.equal(without.code, 1)
  assert.match(without.stderr, /^App provides no class of environment\(…\)/)
})

test('explain and build boot with the variables of --env that the environment lacks', async () => {
  const file = await envFileOf('PORT=8080', 'DATABASE_URL=pglite:', `JWT_SECRET=${'x'.repeat(32)}`)
  const app = await moduleOf(configured)
  assert.match((await alcove('explain', app, '--env', file)).stdout, /^PORT is 8080/)
  assert.match((await alcove('build', app, '--env', file, '--out', join(directory, 'with-env'))).stdout, /^PORT is 8080/)
  const { code, stderr } = await alcove('explain', app)
  assert.equal(code, 1)
  assert.match(stderr, /^The environment has 2 faults:\n {2}- DATABASE_URL \(App > Settings\) is missing/)
  assert.doesNotMatch(stderr, /\n\s+at /)
})

test('openapi and client load modules with the variables of --env that the environment lacks', async () => {
  const app = await moduleOf(`
    import { Plugin } from 'alcove'
    export const document = { info: { title: new URL(process.env.PUBLIC_ADDRESS).host, version: '1' } }
    export class App {}
    Plugin()(App)
  `)
  const file = await envFileOf('PUBLIC_ADDRESS=https://shop.example')
  assert.match((await alcove('openapi', app, '--env', file)).stdout, /"title": "shop.example"/)
  assert.match((await alcove('client', app, '--env', file)).stdout, /createClient/)
  assert.equal((await alcove('openapi', app)).code, 1)
})

test('new writes an app, and refuses a directory with something in it', async () => {
  const target = join(directory, 'My App')
  assert.equal((await alcove('new', target)).code, 0)
  assert.deepEqual((await readdir(target)).sort(), ['.gitignore', 'AGENTS.md', 'README.md', 'package.json', 'src', 'tsconfig.json'])
  assert.equal(JSON.parse(await readFile(join(target, 'package.json'), 'utf8')).name, 'my-app')
  const again = await alcove('new', target)
  assert.deepEqual([again.code, again.stderr.trim()], [1, `${target} is not empty.`])
})

test('new makes a name that npm takes, quotes the path, and says if the loader of npm run dev cannot handle it', async () => {
  for (const [folder, name] of [
    ['Été (2)', 'ete-2'],
    ['.hidden', 'hidden'],
    ['日本', 'app'],
  ] as const) {
    const { stdout } = await alcove('new', join(directory, folder))
    assert.equal(JSON.parse(await readFile(join(directory, folder, 'package.json'), 'utf8')).name, name)
    assert.equal(stdout.includes(`cd "${join(directory, folder)}"`), folder !== '.hidden')
    assert.equal(stdout.includes('npm run dev does not run in this folder'), folder !== '.hidden')
  }
  const file = await moduleOf('')
  const { code, stderr } = await alcove('new', file)
  assert.deepEqual([code, stderr.split('\n').length, stderr.startsWith(`${file} cannot be used: ENOTDIR`)], [1, 2, true])
})

test('new --api writes an API, with its name in place of every placeholder', async () => {
  const target = join(directory, 'My Shop')
  assert.equal((await alcove('new', target, '--api')).code, 0)
  const files = (await readdir(target, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const names = files.map(({ name }) => name)
  for (const name of [
    '.gitignore',
    '.dockerignore',
    'AGENTS.md',
    '.env.development',
    '.env.test',
    'Dockerfile',
    'compose.yaml',
    'ci.yml',
    'api-changes.yml',
    'openapi.json',
  ])
    assert.ok(names.includes(name), name)
  for (const { parentPath, name } of files) assert.doesNotMatch(await readFile(join(parentPath, name), 'utf8'), /\{\{\w+\}\}/, name)
  const { name, dependencies } = JSON.parse(await readFile(join(target, 'package.json'), 'utf8'))
  assert.deepEqual([name, typeof dependencies.jose], ['my-shop', 'string'])
})

test('an application of another copy of the package, and classes with its decorators, are named as such', async () => {
  const folder = new URL('../../another-copy/', import.meta.url)
  try {
    for (const part of ['lib', 'decorators'])
      await cp(new URL(`../../${part}/`, import.meta.url), new URL(`${part}/`, folder), { recursive: true })
    await mkdir(new URL('dist/esm/', folder), { recursive: true })
    await writeFile(new URL('dist/esm/cli.js', folder), '')
    const file = join(directory, 'other.mjs')
    const source = `
      import { Plugin } from ${JSON.stringify(new URL('decorators/index.js', folder).href)}
      import { check } from ${JSON.stringify(new URL('../../decorators/index.js', import.meta.url).href)}
      export class App {}
      Plugin({})(App)
    `
    await writeFile(file, source)
    const { code, stderr } = await alcove('check', file)
    assert.equal(code, 1)
    assert.match(stderr, /other\.mjs exports App, a plugin class of another copy of alcove\. Run the command of that copy: node .*cli\.js/)
    await rm(new URL('dist/', folder), { recursive: true })
    assert.match(
      (await alcove('check', file)).stderr,
      /a plugin class of another copy of alcove\. If a bundler has put that copy into the file/,
    )
    await writeFile(file, `${source}\ncheck(App)`)
    assert.match((await alcove('check', file)).stderr, /App is a plugin of another copy of alcove, in .*another-copy.*\. Use one copy/)
    await writeFile(
      file,
      `
      import { Controller, Get, Hook, Injectable } from ${JSON.stringify(new URL('decorators/index.js', folder).href)}
      import * as own from ${JSON.stringify(new URL('../../decorators/index.js', import.meta.url).href)}
      class Guard { onRequest() { throw new Error('nobody') } }
      class Users { list() { return [] } }
      own.Get('/')(Users.prototype, 'list')
      own.Controller('/users')(Hook('onRequest', Guard)(Users))
      class Foreign { list() { return [] } }
      Get('/')(Foreign.prototype, 'list')
      Controller('/foreign')(Foreign)
      class Session {}
      Injectable({ scope: 'request' })(Session)
      class Notes extends Session {}
      export class App {}
      own.Plugin({ routes: [Users, Foreign], providers: [Session, Notes] })(App)
    `,
    )
    const { stderr: faults } = await alcove('check', file)
    assert.match(faults, /^The wiring of App has 4 faults:/)
    for (const name of ['Users', 'Foreign', 'Session', 'Notes'])
      assert.match(
        faults,
        new RegExp(`App > ${name} has decorators of another copy of alcove, in .*another-copy.*, which have no effect here\\. Use one`),
      )
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('the version is printed, and arguments that a command does not take are refused', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'))
  assert.deepEqual((await alcove('--version')).stdout.trim(), version)
  for (const args of [
    ['new', join(directory, 'one'), 'two'],
    ['check', contexts, 'two'],
    ['explain', contexts, '/two', 'two'],
  ]) {
    const { code, stderr } = await alcove(...args)
    assert.equal(code, 1)
    assert.match(stderr, new RegExp(`^alcove ${args[0]} does not take 'two'\\.`))
  }
})

test('options that a command does not take are refused', async () => {
  for (const [args, option] of [
    [['check', contexts, '--html', 'page.html'], '--html'],
    [['new', contexts, '--env', '.env'], '--env'],
    [['new', join(directory, 'three'), '--contract'], '--contract'],
    [['build', contexts, '--api'], '--api'],
  ] as const) {
    const { code, stderr } = await alcove(...args)
    assert.equal(code, 1)
    assert.ok(stderr.startsWith(`alcove ${args[0]} does not take '${option}'.`), stderr)
  }
  const { code, stderr } = await alcove('check', contexts, '--document', 'page')
  assert.deepEqual([code, stderr], [1, '--document of alcove check names the options of --contract. Write both.\n'])
})

const shop = `
  import { Controller, Get, Plugin, Schema, use } from 'alcove'
  class Database { constructor() { throw new Error('a database is opened') } }
  class Users { static inject = [Database]; constructor() { throw new Error('constructed') } find() {} }
  Schema({ summary: 'A user', params: { id: { type: 'integer' } }, response: { 200: { description: 'It', type: 'object' } } })(Users.prototype, 'find', Object.getOwnPropertyDescriptor(Users.prototype, 'find'))
  Get('/:id')(Users.prototype, 'find', Object.getOwnPropertyDescriptor(Users.prototype, 'find'))
  Controller('/users')(Users)
  async function reports(instance) { throw new Error('the plugin function runs') }
  export class Shop {}
  Plugin({ providers: [Database], routes: [Users], imports: [use(reports)] })(Shop)
`

test('openapi prints the document without constructing anything, and names the plugin functions that may add routes', async () => {
  const { code, stdout, stderr } = await alcove('openapi', await moduleOf(shop))
  const document = JSON.parse(stdout)
  assert.equal(code, 0)
  assert.equal(document.openapi, '3.1.1')
  assert.equal(document.info.title, 'Shop')
  assert.deepEqual(Object.keys(document.paths), ['/users/{id}'])
  assert.equal(document.paths['/users/{id}'].get.operationId, 'usersFind')
  assert.equal(
    stderr.trim(),
    'Shop > reports may add routes when it runs. The document of a server that is ready contains them: openapi(server, …).',
  )
})

test('openapi does not name plugin functions whose routes are hidden, nor plugins that are known to add none', async () => {
  const { code, stderr } = await alcove(
    'openapi',
    await moduleOf(`
      import bearerAuth from '${import.meta.resolve('@fastify/bearer-auth')}'
      import { Plugin, use } from 'alcove'
      import { docsPage } from '${new URL('../../decorators/contract/index.js', import.meta.url).href}'
      async function internal() {}
      async function shown() {}
      export class Shop {}
      Plugin({ imports: [
        use(bearerAuth, { keys: new Set(['a']) }),
        docsPage({ info: { title: 'Shop', version: '1.0.0' } }),
        use(internal, {}, { docs: { hide: true } }),
        use(shown),
      ] })(Shop)
    `),
  )
  assert.equal(code, 0)
  assert.match(stderr, /^Shop > shown may add routes when it runs\. .*\n$/)
})

test('openapi takes the exported options of the document, a version and a file to write to', async () => {
  const file = await moduleOf(`${shop}
    export const document = { info: { title: 'The shop', version: '2.0.0' }, servers: [{ url: 'https://shop.example' }] }
    export const other = { info: { title: 'Another', version: '1.0.0' } }`)
  const out = join(directory, 'shop.json')
  assert.deepEqual(await alcove('openapi', file, '--out', out, '--version', '3.2').then(({ code, stdout }) => [code, stdout]), [0, ''])
  const { openapi, info, servers } = JSON.parse(await readFile(out, 'utf8'))
  assert.deepEqual([openapi, info, servers], ['3.2.0', { title: 'The shop', version: '2.0.0' }, [{ url: 'https://shop.example' }]])
  const other = await alcove('openapi', file, '--document', 'other')
  assert.equal(JSON.parse(other.stdout).info.title, 'Another')
  const missing = await alcove('openapi', file, '--document', 'none')
  assert.deepEqual([missing.code, missing.stderr.trim()], [1, `${file} exports no options named none.`])
  const wrong = await alcove('openapi', file, '--version', '3.0')
  assert.deepEqual([wrong.code, wrong.stderr.trim()], [1, '--version is 3.1 or 3.2, not 3.0.'])
})

test('openapi --check exits 0 if a file is the document, else 1, and prints what differs by JSON Pointer', async () => {
  const file = await moduleOf(shop)
  const out = join(directory, 'checked.json')
  await alcove('openapi', file, '--out', out)
  assert.equal((await alcove('openapi', file, '--check', out)).code, 0)
  const document = JSON.parse(await readFile(out, 'utf8'))
  document.paths['/users/{id}'].get.summary = 'Someone'
  delete document.paths['/users/{id}'].get.tags
  document.paths['/gone'] = {}
  await writeFile(out, JSON.stringify(document))
  const { code, stdout, stderr } = await alcove('openapi', file, '--check', out)
  assert.deepEqual([code, stdout], [1, ''])
  assert.deepEqual(stderr.trim().split('\n').slice(1), [
    `${out} is not the document of the application:`,
    '  - /paths/~1users~1{id}/get/summary: "Someone"',
    '  + /paths/~1users~1{id}/get/summary: "A user"',
    '  + /paths/~1users~1{id}/get/tags: ["Users"]',
    '  - /paths/~1gone: {}',
  ])
})

test('check --contract lists what a document could say better, and openapi counts it', async () => {
  const file = await moduleOf(shop.replace("description: 'It', ", ''))
  const { code, stdout } = await alcove('check', file, '--contract')
  assert.equal(code, 0)
  assert.deepEqual(stdout.trim().split('\n'), [
    'The wiring of Shop is correct.',
    "GET /users/:id (Shop > Users.find): the response 200 has no description, so it has the text of its status. Write { 200: { description: '…', … } }.",
  ])
  const { stderr } = await alcove('openapi', file)
  assert.match(stderr, /^1 replies, bodies or parameters lack a description or schema: alcove check \S+ --contract lists them\.$/m)
})

test('openapi refuses one name that is written for two operations, and writes nothing', async () => {
  const file = await moduleOf(`${shop}
    class Members { find() {} }
    Get({ path: '/:id', docs: { operationId: 'usersFind' } })(Members.prototype, 'find', Object.getOwnPropertyDescriptor(Members.prototype, 'find'))
    Controller('/members')(Members)
    class Others extends Members {}
    Get({ path: '/:id', docs: { operationId: 'usersFind' } })(Others.prototype, 'find', Object.getOwnPropertyDescriptor(Members.prototype, 'find'))
    Controller('/others')(Others)
    export class App {}
    Plugin({ routes: [Members, Others] })(App)`)
  const { code, stdout, stderr } = await alcove('openapi', file)
  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /Two operations have the operationId 'usersFind': GET \/members\/:id \(App > Members\.find\) and GET \/others\/:id/)
})
