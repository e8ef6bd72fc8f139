/** The warnings of ajv at boot. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

/** Boots a server with routes in a process of its own. @returns the warnings that the process prints to standard error */
function warningsOf(routes: string, options = '{}'): string[] {
  const url = new URL('../../../../lib/index.js', import.meta.url).href
  const source = `import { createServer } from ${JSON.stringify(url)}
    const server = createServer(${options})
    const string = { type: 'string', minimum: 3 }
    ${routes}
    await server.ready()`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stderr.split('\n').flatMap((line) => /(?:AlcoveWarning|mine): (.*)/.exec(line)?.[1] ?? [])
}

test('a warning names the route and the part, and is given once', () => {
  const routes = `
    server.post('/users', { schema: { body: { type: 'object', properties: { name: string } } } }, () => '')
    server.get('/users', { schema: { querystring: { type: 'object', properties: { name: { anyOf: [string, { type: 'null' }] } } } } }, () => '')`
  assert.deepEqual(warningsOf(routes), [
    'POST /users body: strict mode: missing type "number" for keyword "minimum" at "#/properties/name" (strictTypes)',
    'GET /users querystring: strict mode: missing type "number" for keyword "minimum" at "#/properties/name/anyOf/0" (strictTypes)',
  ])
})

test('a warning about a shared schema names the route that refers to it', () => {
  const routes = `server.addSchema({ $id: 'name', ...string })
    server.post('/users', { schema: { body: { $ref: 'name#' } } }, () => '')`
  assert.deepEqual(warningsOf(routes), [
    'POST /users body: strict mode: missing type "number" for keyword "minimum" at "name#" (strictTypes)',
  ])
})

test('a server that logs writes the warnings to its log', async () => {
  const lines: string[] = []
  const server = createServer({ logger: { stream: { write: (line: string) => lines.push(line) } } })
  server.post('/', { schema: { body: { type: 'string', minimum: 3 } } }, () => '')
  await server.ready()
  await server.close()
  assert.match(lines.join(''), /"level":40,.*"msg":"POST \/ body: strict mode: missing type/)
})

test('the faults of a schema are warnings too, if ajv is told to log them only', () => {
  const routes = `server.post('/', { schema: { body: { type: 'string', maxLength: 3, description: 5 } } }, () => '')`
  assert.deepEqual(warningsOf(routes, "{ jsv: { customOptions: { validateSchema: 'log' } } }"), [
    'POST / body: schema is invalid: data/description must be string',
  ])
})

test('the options of ajv switch the warnings off, or send them elsewhere', () => {
  const route = `server.post('/', { schema: { body: string } }, () => '')`
  assert.deepEqual(warningsOf(route, '{ jsv: { customOptions: { strictTypes: false } } }'), [])
  const logger = `{ log() {}, error() {}, warn: (text) => console.error('mine: ' + text) }`
  assert.match(warningsOf(route, `{ jsv: { customOptions: { logger: ${logger} } } }`).join('\n'), /^strict mode: [^\n]*$/)
})
