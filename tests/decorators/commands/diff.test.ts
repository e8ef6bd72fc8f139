/** `alcove diff`: two states of an application, and what its clients notice. */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { DiffReport } from '../../../decorators/commands/diff/report.js'
import { shop } from '../../fixtures/contracts/shop.js'
import { validatorOf } from '../../fixtures/json-documents.js'
import { project } from '../../fixtures/project.js'

const cli = fileURLToPath(new URL('../../../decorators/cli.js', import.meta.url))
let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'alcove-diff-'))
})
after(() => rm(directory, { recursive: true, force: true }))

function diff(args: readonly string[], cwd = directory): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, 'diff', ...args], { cwd }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

let count = 0
async function write(document: unknown, name = `${++count}.json`): Promise<string> {
  const file = join(directory, name)
  await writeFile(file, typeof document === 'string' ? document : JSON.stringify(document))
  return file
}

function changed(change: (copy: any) => void): any {
  const copy = structuredClone(shop)
  change(copy)
  return copy
}

const shorterNames = changed(({ components }) => (components.schemas.NewAnimal.properties.name.maxLength = 20))
const otherStyle = changed(({ paths }) => Object.assign(paths['/animals'].get.parameters[2], { explode: false }))

/** The source of an application with a guarded route. */
function source({ hooks = 'onRequest: Guard', more = '', description = 'a text' } = {}): string {
  return `
    import { Controller, Get, Plugin, Post } from ${JSON.stringify(new URL('../../../decorators/index.js', import.meta.url).href)}
    class Guard { onRequest() {} }
    class Audit { onResponse() {} }
    class Users { list() {} old() {} }
    const described = (target, name, decorate) => decorate(target, name, Object.getOwnPropertyDescriptor(target, name))
    described(Users.prototype, 'list', Get('/users', { response: { 200: { type: 'string', description: '${description}' } } }))
    ${more}
    Controller()(Users)
    export class App {}
    Plugin({ hooks: { ${hooks} }, routes: [Users] })(App)
  `
}
const gone = "described(Users.prototype, 'old', Get('/old', {}))"

describe('alcove diff of locks and modules', () => {
  async function lockOf(text: string, name: string): Promise<string> {
    const file = join(directory, `${name}.lock`)
    execFileSync(process.execPath, [cli, 'lock', await write(text, `${name}.mjs`), '--out', file], { encoding: 'utf8' })
    return file
  }

  test('counts one route and one change', async () => {
    const before = await lockOf(source(), 'guarded')
    const after = await lockOf(source({ hooks: '' }), 'unguarded')
    const { stdout } = await diff([before, after])
    assert.match(stdout, /\n1 route: 0 breaking, .* 1 change to review\.\n$/)
  })

  test('shows what no request shows, and says that a route which is gone breaks clients', async () => {
    const before = await lockOf(source({ more: gone }), 'before')
    const after = await lockOf(source({ hooks: 'onResponse: Audit', description: 'another' }), 'after')
    const { code, stdout } = await diff([before, after])
    assert.equal(code, 1)
    assert.match(stdout, /^Breaking:\n {2}GET \/old\n {4}the route is gone/)
    assert.match(stdout, /To review:\n(?: {2}.*\n)* {2}GET \/users lost the guard Guard \(onRequest\)/)
    assert.match(stdout, / {2}GET \/users gained the hook Audit \(onResponse\)/)
    assert.deepEqual((await diff([before, before])).code, 0)
  })

  test('a deprecation breaks nothing, and a route may be gone after its sunset, not before', async () => {
    const deprecated = (dates: string): string => `described(Users.prototype, 'old', Get({ path: '/old', deprecated: ${dates} }))`
    const dates = (sunset: string): string => `{ since: '2020-01-31', sunset: '${sunset}' }`
    const current = await lockOf(source({ more: deprecated('false') }), 'current')
    const none = await lockOf(source(), 'none')
    const announced = await lockOf(source({ more: deprecated(dates('2099-12-31')) }), 'announced')
    const over = await lockOf(source({ more: deprecated(dates('2020-12-31')) }), 'over')
    const undated = await lockOf(source({ more: deprecated('true') }), 'undated')
    const saysOf = async (...locks: string[]): Promise<[number | null, string]> => {
      const { code, stdout } = await diff(locks)
      assert.doesNotMatch(stdout, /To review/)
      return [code, / {4}the route (.*)/.exec(stdout)![1]!]
    }
    assert.deepEqual(await saysOf(current, announced), [0, 'is deprecated since 2020-01-31, may be gone from 2099-12-31 on'])
    assert.deepEqual(await saysOf(current, none), [1, 'is gone, and was not deprecated'])
    assert.deepEqual(await saysOf(announced, none), [1, 'is gone before its sunset, 2099-12-31'])
    assert.deepEqual(await saysOf(undated, none), [1, 'is gone, and was deprecated without a date (x-sunset)'])
    assert.deepEqual(await saysOf(over, none), [0, 'is gone after its sunset, 2020-12-31'])
  })

  test('does not know what a changed schema means if it sees only locks, but does if it sees modules', async () => {
    const other = source().replace("type: 'string'", "type: 'integer'")
    const locks = await diff([await lockOf(source(), 'text'), await lockOf(other, 'number')])
    assert.equal(locks.code, 2)
    assert.match(locks.stdout, /^Not known:\n {2}GET \/users\n {4}replies: reply 200 .*Compare the documents or the modules/)
    const modules = await diff([join(directory, 'text.mjs'), join(directory, 'number.mjs')])
    assert.equal(modules.code, 1)
    assert.match(modules.stdout, /^Breaking:\n {2}GET \/users\n {4}reply 200/)
    const mixed = await diff([join(directory, 'text.lock'), join(directory, 'number.mjs')])
    assert.equal(mixed.code, 2)
  })

  test('a lower limit of bodies breaks clients, and a higher one does not', async () => {
    const limited = (bytes: number): string =>
      source({ more: `described(Users.prototype, 'old', Post({ path: '/old/:id', bodyLimit: ${bytes} }, {}))` })
    const [low, high] = [await lockOf(limited(100), 'low'), await lockOf(limited(200), 'high')]
    const modules = [join(directory, 'high.mjs'), join(directory, 'low.mjs')]
    for (const states of [[high, low], modules]) {
      const { code, stdout } = await diff(states)
      assert.equal(code, 1, stdout)
      assert.match(
        stdout,
        /^Breaking:\n {2}POST \/old\/\S+\n {4}body: the server takes at most 100 bytes, and up to 200 may come; for instance a body of 101 bytes\n/,
      )
    }
    assert.equal((await diff([low, high])).code, 0)
  })

  test('two locks say which credentials are no longer enough', async () => {
    const secured = (name: string): string => source({ more: `Guard.security = { ${name}: { type: 'http', scheme: 'bearer' } }` })
    const files = [await lockOf(secured('token'), 'token'), await lockOf(secured('key'), 'key')]
    const { code, stdout } = await diff(files)
    assert.equal(code, 1)
    assert.match(
      stdout,
      /^Breaking:\n {2}GET \/users\n {4}security: demands key instead of token; for instance a request with token only\n/,
    )
    const open = await diff([files[0]!, await lockOf(source(), 'nothing')])
    assert.match(open.stdout, /security: demands nothing instead of token, so that more requests are let in/)
    assert.equal(open.code, 0)
  })

  test('two modules show lost guards beside the answer', async () => {
    const files = [await write(source(), 'guarded.mjs'), await write(source({ hooks: '' }), 'open.mjs')]
    const { code, stdout } = await diff(files)
    assert.equal(code, 0)
    assert.match(stdout, /To review:\n {2}GET \/users lost the guard Guard \(onRequest\)/)
    const report = JSON.parse((await diff([...files, '--json'])).stdout) as DiffReport
    assert.deepEqual(
      report.review.map(({ kind }) => kind),
      ['hook-lost'],
    )
  })

  test('counts what the document of a module cannot say as not compared, such as the items of a stream', async () => {
    const streaming = (type: string): string =>
      source({
        more: `described(Users.prototype, 'old', Get('/old', { response: { 200: stream({ type: 'object', properties: { a: { type: '${type}' } } }) } }))`,
      }).replace('Post }', 'Post, stream }')
    const { stdout } = await diff([await write(streaming('string'), 'texts.mjs'), await write(streaming('integer'), 'numbers.mjs')])
    assert.match(stdout, /2 parts of the documents were not compared: --json lists them/)
  })

  test('a lock is not compared with a document, and a damaged one is refused with its line', async () => {
    const lock = await lockOf(source(), 'whole')
    const { code, stderr } = await diff([lock, await write(shop)])
    assert.equal(code, 2)
    assert.match(stderr, /A lock is compared with a lock or with a built module, not with an OpenAPI document/)
    const damaged = await write('alcove lock 1\n\nplugin App\n  gves Db\n', 'damaged.lock')
    assert.match((await diff([damaged, lock])).stderr, /damaged\.lock: line 4 /)
  })
})

describe('alcove diff', () => {
  test('exits 0 if the new document serves all old clients', async () => {
    const { code, stdout, stderr } = await diff([await write(shop), await write(shop)])
    assert.deepEqual([code, stdout, stderr], [0, '5 routes: 0 breaking, 0 not known, 5 compatible; 0 added, 0 removed.\n', ''])
  })

  test('exits 1 and shows what breaks with an example', async () => {
    const { code, stdout } = await diff([await write(shop), await write(shorterNames)])
    assert.equal(code, 1)
    assert.match(
      stdout,
      /^Breaking:\n {2}POST \/animals\n {4}body \/name: the server takes texts of at most 20 characters, and longer ones may come; for instance "a{21}"\n/,
    )
    assert.match(stdout, /\n5 routes: 2 breaking, 0 not known, 3 compatible; 0 added, 0 removed\.\n$/)
  })

  test('exits 2 if something is not known', async () => {
    const { code, stdout } = await diff([await write(shop), await write(otherStyle)])
    assert.equal(code, 2)
    assert.match(stdout, /^Not known:\n {2}GET \/animals\n {4}query tag: is written in another style/)
  })

  test('counts the members that no schema names if it is told to', async () => {
    const more = changed(({ components }) => (components.schemas.NewAnimal.properties.nickname = { type: 'string' }))
    const files = [await write(shop), await write(more)]
    assert.equal((await diff(files)).code, 0)
    const { code, stdout } = await diff([...files, '--strict'])
    assert.equal(code, 1)
    assert.match(stdout, /POST \/animals\n {4}body \/nickname: the server takes texts, and .* may come/)
  })

  test('writes Markdown for a pull request, in which names of a document are no markup', async () => {
    const named = (copy: any): void => {
      const { schema } = copy.paths['/animals'].get.parameters[2]
      copy.paths['/animals'].get.parameters.push({ name: '<img src=x>|@all', in: 'query', schema })
    }
    const harmful = changed((copy) => {
      named(copy)
      copy.paths['/animals'].get.parameters[3].required = true
    })
    const { code, stdout } = await diff([await write(shop), await write(harmful), '--markdown'])
    assert.equal(code, 1)
    assert.match(stdout, /^## This breaks clients of today\n\n5 routes: /)
    assert.ok(stdout.includes('| `GET /animals` | query &lt;img src=x>\\|\\@all: is demanded'), stdout)
  })

  test('prints the same in JSON, of the schema that is published', async () => {
    const { code, stdout } = await diff([await write(shop), await write(shorterNames), '--json'])
    const report = JSON.parse(stdout) as DiffReport
    assert.equal(code, 1)
    validatorOf('diff')(report)
    assert.equal(report.answer, 'breaking')
    const [route] = report.routes.filter(({ changes }) => changes.length > 0)
    assert.deepEqual(route, {
      route: 'POST /animals',
      state: 'kept',
      answer: 'breaking',
      changes: [
        {
          part: 'body',
          path: '/name',
          answer: 'breaking',
          reason: 'the server takes texts of at most 20 characters, and longer ones may come',
          example: { ...(route!.changes[0]!.example as object), name: 'a'.repeat(21) },
        },
      ],
    })
  })

  test('gives the same answers and examples for the same seed', async () => {
    const files = [await write(shop), await write(shorterNames)]
    const [one, same] = [await diff([...files, '--json', '--seed', '5']), await diff([...files, '--json', '--seed', '5'])]
    assert.equal(one.stdout, same.stdout)
  })

  test('reads the document of a built application', async () => {
    const app = join(project, 'dist/samples/first/app.js')
    const document = join(directory, 'first.json')
    execFileSync(process.execPath, [cli, 'openapi', app, '--out', document])
    assert.equal((await diff([document, app])).code, 0)
    const older = JSON.parse(await readFile(document, 'utf8'))
    older.paths['/greetings'].delete = { responses: { 204: { description: 'Gone' } } }
    const { code, stdout } = await diff([await write(older), app])
    assert.equal(code, 1)
    assert.match(stdout, /DELETE \/greetings\n {4}the route is gone, and was not deprecated\n/)
  })

  test('reads YAML', async () => {
    const yaml = await write(
      `openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths:\n  /a:\n    get:\n      responses: { 200: { description: A } }\n`,
      'one.yaml',
    )
    assert.equal((await diff([yaml, yaml])).code, 0)
  })

  test('compares a revision of git with the working copy', async () => {
    const repository = join(directory, 'repository')
    await mkdir(join(repository, 'api'), { recursive: true })
    const git = (...args: string[]): void =>
      void execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: repository, stdio: 'pipe' })
    git('init', '--initial-branch', 'main')
    await writeFile(join(repository, 'api/openapi.json'), JSON.stringify(shop))
    git('add', '.')
    git('commit', '-m', 'First')
    await writeFile(join(repository, 'api/openapi.json'), JSON.stringify(shorterNames))
    assert.equal((await diff(['main:api/openapi.json'], repository)).code, 1)
    // Paths are those of the folder, as for every other file.
    assert.equal((await diff(['main:openapi.json', 'main:openapi.json'], join(repository, 'api'))).code, 0)
    const { code, stderr } = await diff(['main:none.json'], repository)
    assert.equal(code, 2)
    assert.match(stderr, /^git has no main:none\.json: .* In CI, fetch the revision first: git fetch origin main\.\n$/)
  })

  for (const [title, args, message] of [
    ['one module', ['a.js'], /Of a revision of git, name its document: alcove diff main:openapi\.json a\.js\./],
    ['one state', ['a.json'], /compares two states: alcove diff a\.json <new>\. Of a revision of git/],
    ['a file that does not exist', ['a.json', 'b.json'], /^a\.json cannot be read: ENOENT/],
    ['an address', ['https://example.com/openapi.json', 'b.json'], /is not a file\. Download it first/],
    ['a module of a revision', ['main:dist/app.js'], /is a module, which git does not build/],
    ['an option of git', ['--output=x:openapi.json'], /Unknown option/],
    ['a seed that is none', ['a.json', 'b.json', '--seed', 'x'], /--seed is a whole number, not x/],
    ['a third state', ['a.json', 'b.json', 'c.json'], /does not take 'c\.json'/],
  ] as const)
    test(`refuses ${title} with 2, because 1 says that clients break`, async () => {
      const { code, stderr } = await diff(args)
      assert.deepEqual([code, message.test(stderr)], [2, true], stderr)
    })

  test('refuses a file that is no document of OpenAPI, with its place', async () => {
    const file = await write({ swagger: '2.0' })
    const { code, stderr } = await diff([file, file])
    assert.equal(code, 2)
    assert.match(stderr, /\.json: The document is not of OpenAPI 3\.0 or 3\.1/)
  })

  test('never says compatible of what it could not compare: without json-schema-faker fewer examples are found', async () => {
    // A copy of the package without its optional peers.
    const alone = join(directory, 'alone')
    await mkdir(join(alone, 'node_modules'), { recursive: true })
    for (const name of ['dist/esm', 'package.json', 'schemas'])
      await cp(join(project, name), join(alone, 'alcove', name), { recursive: true })
    const { dependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as { dependencies: object }
    for (const name of transitive(Object.keys(dependencies)))
      await cp(join(project, 'node_modules', name), join(alone, 'node_modules', name), { recursive: true })
    const files = [await write(shop), await write(shorterNames)]
    const { code, stdout } = await new Promise<{ code: number; stdout: string }>((resolve) => {
      execFile(process.execPath, [join(alone, 'alcove/dist/esm/cli.js'), 'diff', ...files], { cwd: alone }, (error, out) =>
        resolve({ code: Number(error?.code ?? 0), stdout: out }),
      )
    })
    assert.ok([1, 2].includes(code), stdout)
    assert.match(stdout, /json-schema-faker is not installed, so few examples were looked for/)
  })
})

/** Packages with all packages that they need. */
function transitive(names: readonly string[]): Set<string> {
  const found = new Set<string>()
  const left = [...names]
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (found.has(name)) continue
    found.add(name)
    try {
      const manifest = JSON.parse(execFileSync('cat', [join(project, 'node_modules', name, 'package.json')], { encoding: 'utf8' })) as {
        dependencies?: object
      }
      left.push(...Object.keys(manifest.dependencies ?? {}))
    } catch {
      found.delete(name)
    }
  }
  return found
}
