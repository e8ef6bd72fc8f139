/**
 * The clients that three generators make of an OpenAPI document, against the server that it describes: openapi-typescript with openapi-fetch,
 * hey-api and orval. Their output for the hardest application must compile in strict mode, and a program that calls it must get what the
 * server answers. So must a program that gives the queries of our own client file to TanStack Query,
 * and one whose requests handlers of that file answer in MSW.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@hey-api/openapi-ts'
import openapiTS, { astToString } from 'openapi-typescript'
import { generate } from 'orval'
import { clientFile, openapi } from '../../../dist/decorators/contract/index.js'
import { testServer } from '../../../dist/decorators/index.js'
import { Hard } from '../hard.mjs'

/** The server runs in this process, which must not wait for another one. */
const execute = promisify(execFile)
const directory = mkdtempSync(join(tmpdir(), 'alcove-generators-'))
symlinkSync(fileURLToPath(new URL('node_modules', import.meta.url)), join(directory, 'node_modules'))
const document = join(directory, 'document.json')
let app
let origin

before(async () => {
  app = await testServer(Hard, { server: { logger: false } })
  origin = await app.server.listen({ port: 0, host: '127.0.0.1' })
  const info = { title: 'Hard', version: '1.0.0' }
  writeFileSync(document, JSON.stringify(openapi(app.server, { info, servers: [{ url: origin }] })))
})
after(async () => {
  await app.close()
  rmSync(directory, { recursive: true })
})

/** Compiles a program with what it imports in strict mode, runs it, and returns what it prints. */
async function run(name, program) {
  writeFileSync(join(directory, `${name}.ts`), program)
  const options = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
    skipLibCheck: true,
  }
  const compilerOptions = { ...options, lib: ['es2022', 'dom', 'dom.iterable'] }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
  const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))
  await execute(process.execPath, [tsc, '-p', '.'], { cwd: directory }).catch(({ stdout }) => assert.fail(stdout))
  // Bundler resolution leaves out the endings of files.
  const esbuild = join(directory, 'node_modules/.bin/esbuild')
  const out = join(directory, `${name}.mjs`)
  await execute(esbuild, [join(directory, `${name}.ts`), '--bundle', '--format=esm', '--platform=node', `--outfile=${out}`])
  const { stdout } = await execute(process.execPath, [out])
  return JSON.parse(stdout)
}

/** What each program prints: the status and the body of the same five calls. */
const expected = [
  [200, { kind: 'circle', radius: 2 }],
  [400, "body/radius should be > 0, body should have required property 'side', body should match exactly one schema in oneOf"],
  [200, { q: 'a', page: 1, tag: [1, 2], tenant: 7 }],
  [200, { name: 'ada', parent: { name: 'eve' } }],
  [409, 'ada'],
]

test('openapi-typescript and openapi-fetch', async () => {
  writeFileSync(join(directory, 'paths.ts'), astToString(await openapiTS(new URL(`file://${document}`))))
  const program = `
import createClient from 'openapi-fetch'
import type { paths } from './paths'
const { GET, POST, PUT } = createClient<paths>({ baseUrl: '${origin}' })
const circle = await POST('/echo/tagged', { body: { kind: 'circle', radius: 2 } })
const wrong = await POST('/echo/tagged', { body: { kind: 'circle', radius: -2 } })
const found = await GET('/north/items/search', { params: { query: { q: 'a', tag: [1, 2] }, header: { 'x-tenant': 7 } } })
const saved = await PUT('/south/items', { body: { name: 'ada', parent: { name: 'eve' } } })
const taken = await GET('/plain/failing/taken')
const by: string | undefined = taken.error !== undefined && 'by' in taken.error ? taken.error.by : undefined
console.log(JSON.stringify([
  [circle.response.status, circle.data],
  [wrong.response.status, wrong.error?.message],
  [found.response.status, found.data],
  [saved.response.status, saved.data],
  [taken.response.status, by],
]))
`
  assert.deepEqual(await run('fetch', program), expected)
})

test('hey-api', async () => {
  const plugins = ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch']
  await createClient({ input: document, output: join(directory, 'hey'), plugins, logs: { level: 'silent' } })
  const program = `
import { echoTagged, southItemsSavePut, failingPlainTaken, northItemsSearch } from './hey'
const circle = await echoTagged({ body: { kind: 'circle', radius: 2 } })
const wrong = await echoTagged({ body: { kind: 'circle', radius: -2 } })
const found = await northItemsSearch({ query: { q: 'a', tag: [1, 2] }, headers: { 'x-tenant': 7 } })
const saved = await southItemsSavePut({ body: { name: 'ada', parent: { name: 'eve' } } })
const taken = await failingPlainTaken()
const by: string | undefined = taken.error !== undefined && 'by' in taken.error ? taken.error.by : undefined
console.log(JSON.stringify([
  [circle.response?.status, circle.data],
  [wrong.response?.status, wrong.error?.message],
  [found.response?.status, found.data],
  [saved.response?.status, saved.data],
  [taken.response?.status, by],
]))
`
  assert.deepEqual(await run('hey-api', program), expected)
})

test('orval', async () => {
  await generate({ input: document, output: { target: join(directory, 'orval-api.ts'), client: 'fetch', baseUrl: origin } })
  const program = `
import { echoTagged, southItemsSavePut, failingPlainTaken, northItemsSearch } from './orval-api'
const circle = await echoTagged({ kind: 'circle', radius: 2 })
const wrong = await echoTagged({ kind: 'circle', radius: -2 })
const found = await northItemsSearch({ q: 'a', tag: [1, 2] }, { headers: { 'x-tenant': '7' } })
const saved = await southItemsSavePut({ name: 'ada', parent: { name: 'eve' } })
const taken = await failingPlainTaken()
console.log(JSON.stringify([
  [circle.status, circle.data],
  [wrong.status, wrong.status === 400 ? wrong.data.message : undefined],
  [found.status, found.data],
  [saved.status, saved.data],
  [taken.status, taken.status === 409 && 'by' in taken.data ? taken.data.by : undefined],
]))
`
  assert.deepEqual(await run('orval', program), expected)
})

test('the queries and mutations of the client file, with TanStack Query', async () => {
  writeFileSync(join(directory, 'client.ts'), clientFile(Hard, { tanstack: true }))
  const program = `
import { MutationObserver, QueryClient, QueryObserver } from '@tanstack/query-core'
import { createClient, mutations, queries, ReplyError } from './client'
const api = createClient({ baseUrl: '${origin}' })
const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
const { northItems, failingPlain, versions } = queries(api)
const search = northItems.search({ query: { q: 'a', tag: [1, 2] }, headers: { 'x-tenant': 7 } })
const found = await client.fetchQuery(search)
const q: string = found.q
// A list of the members that the compiler knows, and a reply without a body.
const nothing: null = await client.fetchQuery(versions.nothing())
const failed: unknown = await client.fetchQuery(failingPlain.taken()).catch((error: unknown) => error)
let fetches = 0
new QueryObserver(client, { ...search, staleTime: Infinity }).subscribe(({ isFetching }) => (fetches += isFetching ? 1 : 0))
await client.invalidateQueries({ queryKey: ['northItems'] })
const saved = await new MutationObserver(client, mutations(api).southItems.savePut()).mutate({ body: { name: 'ada' } })
const name: string = saved.name
const abort = new AbortController()
abort.abort(new Error('left'))
const aborted: unknown = await search.queryFn({ signal: abort.signal }).catch((error: unknown) => error)
// @ts-expect-error a required query
northItems.search({ headers: { 'x-tenant': 7 } })
// @ts-expect-error a member that no reply has
found.none
console.log(JSON.stringify([q, found.page, nothing, failed instanceof ReplyError && failed.status, fetches > 0, name, (aborted as Error).message, search.queryKey]))
`
  assert.deepEqual(await run('queries', program), [
    'a',
    1,
    null,
    409,
    true,
    'ada',
    'left',
    ['northItems', 'search', { query: { q: 'a', tag: [1, 2] }, headers: { 'x-tenant': 7 } }],
  ])
})

test('the handlers of the client file, with MSW', async () => {
  writeFileSync(join(directory, 'client.ts'), clientFile(Hard, { msw: true }))
  const program = `
import { http, HttpResponse, passthrough } from 'msw'
import { setupServer } from 'msw/node'
import { createClient, handlers } from './client'
const baseUrl = 'http://127.0.0.1:7357/api'
const { echo, northItems, southItems, failingPlain, versions } = handlers(http, { baseUrl })
const server = setupServer(
  northItems.search(({ request, cookies }) => ({
    status: 200,
    body: { q: new URL(request.url).searchParams.get('q') + (cookies['seen'] ?? ''), page: 1, tenant: Number(request.headers.get('x-tenant')) },
  })),
  southItems.savePut(async ({ body }) => ({ status: 200, body: { name: body.name.toUpperCase() }, headers: { 'x-mocked': 'yes' } })),
  failingPlain.taken(() => ({ status: 409, body: { statusCode: 409, error: 'Conflict', message: 'Taken', by: 'msw' } })),
  echo.tagged(() => HttpResponse.error()),
  echo.map(() => passthrough()),
  http.get(baseUrl + '/other/v', ({ request }) => (request.headers.has('accept-version') ? undefined : HttpResponse.json('any version'))),
  versions.first(() => ({ status: 200, body: { name: 'first' } })),
  versions.typed(({ params }) => ({ status: 200, body: { id: Number(params.id) + params.day.length } })),
  versions.wildcard(({ params }) => ({ status: 200, body: { name: params['*'] } })),
  versions.csv(() => ({ status: 200, body: 'a,b', headers: { 'content-type': 'text/csv' } })),
  versions.nothing(() => ({ status: 204 })),
)
// @ts-expect-error a status that the route does not declare
southItems.savePut(() => ({ status: 402, body: { name: 'a' } }))
// @ts-expect-error a body without its name
southItems.savePut(() => ({ status: 200, body: {} }))
// @ts-expect-error a name that is a number
southItems.savePut(() => ({ status: 200, body: { name: 7 } }))
// @ts-expect-error no body
southItems.savePut(() => ({ status: 200 }))
// @ts-expect-error nothing is sent
southItems.savePut(() => {})
// @ts-expect-error a parameter that the path does not have
southItems.savePut(({ params }) => ({ status: 200, body: { name: params.id } }))
// @ts-expect-error a member that the body does not have
southItems.savePut(({ body }) => ({ status: 200, body: { name: body.title } }))
server.listen({ onUnhandledRequest: 'error' })
const api = createClient({ baseUrl })
const search = await api.northItems.search({ query: { q: 'a' }, headers: { 'x-tenant': 7 }, cookies: { seen: '!' } })
const saved = await api.southItems.savePut({ body: { name: 'ada' } })
const taken = await api.failingPlain.taken()
const failed = await api.echo.tagged({ body: { kind: 'circle', radius: 2 } }).catch((error: Error) => error.name)
const refused = await api.echo.map({ body: {} }).catch((error: Error) => error.name)
const { versions: called } = api
const names = [
  await called.first(), await called.typed({ params: { id: 7, day: '2026-11-24' } }), await called.wildcard({ params: { '*': 'a/b' } }),
  await called.csv(), await called.nothing(),
].map(({ body }) => body ?? null)
const other = await fetch(baseUrl + '/other/v', { headers: { 'accept-version': '2.0.0' } }).catch((error: Error) => error.name)
server.close()
console.log(JSON.stringify([
  search.body, [saved.body, saved.headers.get('x-mocked')], [taken.status, taken.status === 409 && 'by' in taken.body && taken.body.by],
  failed, refused, names, other,
]))
`
  assert.deepEqual(await run('mocks', program), [
    { q: 'a!', page: 1, tenant: 7 },
    [{ name: 'ADA' }, 'yes'],
    [409, 'msw'],
    'TypeError',
    'TypeError',
    [{ name: 'first' }, { id: 17 }, { name: 'a/b' }, 'a,b', null],
    'TypeError',
  ])
})
