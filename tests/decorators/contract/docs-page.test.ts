/** The page and its files. They are used in a browser in tests/browser/docs-page.mjs. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import Module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { bootstrap, createServer, HttpError, Plugin, type Server } from 'alcove'
import { docsPage, docsPlugin } from 'alcove/contract'

const info = { title: 'Shop', version: '1.0.0' }

test('without the package of the page the boot fails, with the command that installs it', async (t) => {
  hidePackage(t)
  @Plugin({ imports: [docsPage({ path: '/docs', info })] })
  class App {}
  const failure = {
    code: 'ALC_ERR_PEER_MISSING',
    message: 'docsPage needs the package swagger-ui-dist, which is not installed. Run: npm install swagger-ui-dist',
  }
  await assert.rejects(bootstrap(App), failure)
  const server = createServer()
  server.register(docsPlugin, { info })
  await assert.rejects(async () => server.ready(), failure)
})

test('options that the document does not have are refused where the page is imported, all at once', () => {
  assert.throws(() => docsPage({ inf: info } as never), {
    name: 'TypeError',
    message: "docsPage: there is no option 'inf'. Did you mean 'info'?; write info: { title: '…', version: '1.0.0' }",
  })
})

/** Hides the package that is installed in this repository: it is only found below `folder`. */
function hidePackage(t: TestContext, folder?: string): void {
  const resolver = Module as unknown as { _resolveFilename(request: string, from: { filename: string }, ...rest: unknown[]): string }
  const resolve = resolver._resolveFilename
  t.mock.method(resolver, '_resolveFilename', (request: string, from: { filename: string }, ...rest: unknown[]) => {
    const isHidden = request.startsWith('swagger-ui-dist') && (folder === undefined || !from.filename.startsWith(folder))
    if (isHidden) throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' })
    return resolve.call(Module, request, from, ...rest)
  })
}

test('the package is found from the working directory too', async (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'alcove-docs-page-')))
  const before = process.cwd()
  mkdirSync(join(folder, 'node_modules/swagger-ui-dist'), { recursive: true })
  for (const name of ['package.json', 'swagger-ui.css', 'swagger-ui-bundle.js'])
    writeFileSync(join(folder, 'node_modules/swagger-ui-dist', name), name === 'package.json' ? '{}' : 'a stand-in')
  process.chdir(folder)
  t.after(() => {
    process.chdir(before)
    rmSync(folder, { recursive: true })
  })
  hidePackage(t, folder)
  await using server = createServer()
  server.register(docsPlugin, { info })
  assert.equal((await server.inject('/docs/swagger-ui.css')).body, 'a stand-in')
})

describe('with the package', () => {
  /** The status of a path, and those of the files that the page at this path refers to. */
  async function visit(server: Server, path: string): Promise<number[]> {
    const { statusCode, body } = await server.inject(path)
    const files = [...body.matchAll(/(?:href|src|data-document)="(?!data:)([^"]+)"/g)].map(([, file]) => file!)
    assert.equal(files.length, 4, body)
    const replies = files.map((file) => server.inject(new URL(file, `http://localhost${path}`).pathname))
    return [statusCode, ...(await Promise.all(replies)).map((reply) => reply.statusCode)]
  }

  const found = [200, 200, 200, 200, 200]

  test('the page and its files are found with and without a slash at the end, under a prefix too', async () => {
    for (const path of [undefined, '/docs', '/docs/', '/internal/docs']) {
      @Plugin({ imports: [docsPage({ ...(path !== undefined && { path }), info })] })
      class Page {}
      @Plugin({ prefix: '/admin', imports: [docsPage({ ...(path !== undefined && { path }), info })] })
      class Admin {}
      @Plugin({ imports: [Page, Admin] })
      class App {}
      await using server = await bootstrap(App)
      const url = (path ?? '/docs').replace(/\/$/, '')
      for (const visited of [url, `${url}/`, `/admin${url}`, `/admin${url}/`])
        assert.deepEqual(await visit(server, visited), found, visited)
    }
  })

  test('the page may send requests to each server of the document, for each value of the variables in its URL', async () => {
    await using server = createServer()
    const variables = { region: { default: 'eu', enum: ['eu', 'us'] }, version: { default: 'v1' } }
    const servers = [
      { url: 'https://{region}.example.com/{version}', variables },
      { url: 'http://localhost:{port}', variables: { port: { default: '81' } } },
    ]
    server.register(docsPlugin, { info, servers: [{ url: '/api' }, { url: 'https://example.com' }, ...servers] })
    const policy = String((await server.inject('/docs')).headers['content-security-policy'])
    assert.deepEqual(/connect-src ([^;]*)/.exec(policy)![1]!.split(' '), [
      "'self'",
      'https://example.com',
      'https://eu.example.com',
      'https://us.example.com',
      'http://localhost:81',
    ])
  })

  test('a page at the path / is found at the prefix of its plugin', async () => {
    @Plugin({ prefix: '/admin', imports: [docsPage({ path: '/', info })] })
    class Admin {}
    @Plugin({ imports: [docsPage({ path: '/', info }), Admin] })
    class App {}
    await using server = await bootstrap(App)
    for (const visited of ['/', '/admin', '/admin/']) assert.deepEqual(await visit(server, visited), found, visited)
  })

  test('a server that ignores slashes at the end has the page once', async () => {
    await using server = createServer({ ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, caseSensitive: false })
    server.register(docsPlugin, { path: '/docs/', info })
    for (const visited of ['/docs', '/docs/', '/DOCS']) assert.deepEqual(await visit(server, visited), found, visited)
  })

  test('a guard of the importing plugin guards the page and its files, with a slash at the end too', async () => {
    class Refuse {
      onRequest() {
        throw new HttpError(401)
      }
    }
    @Plugin({ hooks: { onRequest: Refuse }, imports: [docsPage({ info })] })
    class App {}
    await using server = await bootstrap(App)
    for (const path of ['/docs', '/docs/', '/docs/openapi.json', '/docs/page.js', '/docs/swagger-ui.css'])
      assert.equal((await server.inject(path)).statusCode, 401, path)
  })
})
