/** What a bundler keeps of a client file. `tests/browser/client.mjs` measures the same with esbuild. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createServer, stream } from 'alcove'
import { clientFile } from 'alcove/contract'
import { rolldown } from 'rolldown'

const directory = mkdtempSync(join(tmpdir(), 'alcove-bundles-'))
after(() => rmSync(directory, { recursive: true }))

before(async () => {
  const server = createServer()
  const item = { type: 'object', properties: { n: { type: 'integer' } } } as const
  for (let index = 0; index < 300; index++) server.get(`/numbers/${index}/:id`, { docs: { operationId: `number${index}` } }, () => '')
  server.get('/ticks', { docs: { operationId: 'ticks' }, schema: { response: { 200: stream(item) } } }, async function* () {})
  const body = { content: { 'multipart/form-data': { schema: item } } }
  server.post('/forms', { docs: { operationId: 'addForm' }, schema: { body } }, () => '')
  await server.ready()
  writeFileSync(join(directory, 'client.ts'), clientFile(server, { tanstack: true, msw: true }))
  await server.close()
})

/** The minified bundle of a program that uses a client of 302 routes. */
async function bundle(program: string): Promise<string> {
  const input = join(directory, 'program.ts')
  writeFileSync(input, program)
  await using build = await rolldown({ input, resolve: { extensionAlias: { '.js': ['.ts'] } } })
  const { output } = await build.generate({ format: 'es', minify: true })
  assert.equal(output.length, 1)
  return output[0].code
}

test('bytes have the type of TypeScript 5.0 everywhere, which takes no argument', () => {
  assert.doesNotMatch(readFileSync(join(directory, 'client.ts'), 'utf8'), /Array<ArrayBuffer>/)
})

/** Words of the code that reads streams, makes forms, makes queries, and makes handlers of MSW. */
const words = { streams: 'TextDecoderStream', forms: 'new FormData', queries: 'queryKey', mocks: 'urlencoded' }

function wordsIn(code: string): string[] {
  return Object.entries(words).flatMap(([name, word]) => (code.includes(word) ? [name] : []))
}

test('the code of calls has at most 3.5 KB, minified, without that of streams, forms and queries', async () => {
  const code = await bundle(`import { bindRoutes } from './client.js'\nconsole.log(bindRoutes({}, {}))`)
  assert.ok(code.length <= 3584, `it has ${code.length} bytes`)
  assert.deepEqual(wordsIn(code), [])
})

test('a program that calls 2 of 302 routes has 2 entries', async () => {
  const code = await bundle(`
    import { bindRoutes, number7Route, number123Route } from './client.js'
    console.log(bindRoutes({ numbers: { seven: number7Route }, other: number123Route }, { baseUrl: '' }))
  `)
  assert.deepEqual(new Set(code.match(/\/numbers\/\d+\//g)), new Set(['/numbers/7/', '/numbers/123/']))
  assert.doesNotMatch(code, /ticks|forms/)
  assert.deepEqual(wordsIn(code), [])
  assert.ok(code.length <= 3700, `it has ${code.length} bytes`)
})

test('a program has the code of streams, of forms and of queries if it uses a route that needs it', async () => {
  const streams = await bundle(`import { bindRoutes, ticksRoute } from './client.js'\nconsole.log(bindRoutes({ ticksRoute }, {}))`)
  assert.deepEqual(wordsIn(streams), ['streams'])
  const forms = await bundle(`import { addFormRoute, bindRoutes } from './client.js'\nconsole.log(bindRoutes({ addFormRoute }, {}))`)
  assert.deepEqual(wordsIn(forms), ['forms'])
  const queries = await bundle(`
    import { bindRoutes, number7Route, queries } from './client.js'
    console.log(queries(bindRoutes({ number7Route }, {})))
  `)
  assert.deepEqual(wordsIn(queries), ['queries'])
})

test('a program that makes handlers of MSW has their code', async () => {
  assert.ok(wordsIn(await bundle(`import { handlers } from './client.js'\nconsole.log(handlers({}))`)).includes('mocks'))
})

test('createClient has all routes, and all that they need', async () => {
  const code = await bundle(`import { createClient } from './client.js'\nconsole.log(createClient({}))`)
  assert.equal([...code.matchAll(/\/numbers\/\d+\//g)].length, 300)
  assert.deepEqual(wordsIn(code), ['streams', 'forms'])
})
