/** The command line: check, explain, new. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

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
    '  - Service (in App) asks for Repo, which is not visible there. It is provided in App > Users. Provide it in App or an ancestor, or share that plugin.',
    "  - Other (in App) asks for 'nothing', which no plugin provides. Add it to the providers of App or of an ancestor.",
  ])
})

test('explain prints the tree, a route, JSON or a page', async () => {
  assert.match((await alcove('explain', contexts)).stdout, /^App {2}\(request\.answer\)/)
  assert.match((await alcove('explain', contexts, 'GET /two')).stdout, /hidden from it:\n {2}bar/)
  assert.equal(JSON.parse((await alcove('explain', contexts, '/two', '--json')).stdout).context, 'App > PublicPlugin')
  const page = join(directory, 'page.html')
  assert.equal((await alcove('explain', contexts, '--html', page)).code, 0)
  assert.match(await readFile(page, 'utf8'), /^<!doctype html>/)
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

test('new writes an app, and refuses a directory with something in it', async () => {
  const target = join(directory, 'My App')
  assert.equal((await alcove('new', target)).code, 0)
  assert.deepEqual((await readdir(target)).sort(), ['.gitignore', 'README.md', 'package.json', 'src', 'tsconfig.json'])
  assert.equal(JSON.parse(await readFile(join(target, 'package.json'), 'utf8')).name, 'my-app')
  const again = await alcove('new', target)
  assert.deepEqual([again.code, again.stderr.trim()], [1, `${target} is not empty.`])
})

test('an application of another copy of the package is told from one without a plugin class', async () => {
  const folder = new URL('../../another-copy/', import.meta.url)
  try {
    for (const part of ['lib', 'decorators'])
      await cp(new URL(`../../${part}/`, import.meta.url), new URL(`${part}/`, folder), { recursive: true })
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
    await writeFile(file, `${source}\ncheck(App)`)
    assert.match((await alcove('check', file)).stderr, /App is a plugin of another copy of alcove, in .*another-copy.*\. Use one copy/)
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
