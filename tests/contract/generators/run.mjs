/**
 * The clients that three generators make of an OpenAPI document, against the server that it describes: openapi-typescript with openapi-fetch,
 * hey-api and orval. Their output for the hardest application must compile in strict mode, and a program that calls it must get what the
 * server answers. So must a program that gives the queries of our own client file to TanStack Query.
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
