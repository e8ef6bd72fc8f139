/** Conditional requests on a version: ETag, If-None-Match, If-Match (RFC 9110 §13). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bootstrap,
  check,
  type Class,
  Controller,
  Delete,
  type Fault,
  Get,
  Injectable,
  Model,
  Patch,
  Plugin,
  Put,
  ref,
  type Reply,
  type RouteRequest,
} from 'alcove'
import { describe, openapi } from 'alcove/contract'
import { version, VersionChanged } from 'alcove/conditional'

const Version = version('version')
const Weak = version('version', { acceptsWeak: true })
const Named = version('changed', { type: 'string' })

const article = {
  type: 'object',
  properties: { text: { type: 'string' }, version: { type: 'integer' }, changed: { type: 'string' } },
} as const
const show = { response: { 200: article } } as const
const change = { body: { type: 'object', properties: { text: { type: 'string' } } }, response: { 200: article } } as const

let handled = 0
let current: { text: string; version: number } = { text: 'Hello', version: 3 }
/** Changes the article if its version is among those that were seen, as `WHERE version = ANY($1)` does. */
const replace = (seen: readonly number[] | undefined, text = ''): typeof current => {
  handled++
  if (seen !== undefined && !seen.includes(current.version)) throw new VersionChanged()
  return (current = { text, version: current.version + 1 })
}

@Injectable()
@Controller('/article')
class Article {
  @Get('/', show)
  @Version.tag()
  show(_request: RouteRequest<typeof show>) {
    return current
  }
  @Put('/', change)
  @Version.check()
  change(request: RouteRequest<typeof change>) {
    return replace(Version.seen(request), request.body.text)
  }
  @Patch('/', change)
  @Version.check({ optional: true })
  patch(request: RouteRequest<typeof change>) {
    return replace(Version.seenIfSent(request), request.body.text)
  }
  @Put('/weak', change)
  @Weak.check()
  weak(request: RouteRequest<typeof change>) {
    return replace(Weak.seen(request))
  }
  @Delete({ path: '/', status: 204 })
  @Version.check()
  remove(request: RouteRequest) {
    replace(Version.seen(request))
  }
  @Get('/named')
  @Named.tag()
  named() {
    return { changed: new Date(0), text: 'é' }
  }
  @Get('/sent')
  @Version.tag()
  sent(_request: RouteRequest, reply: Reply) {
    setTimeout(() => void reply.send(current), 2)
  }
  @Get('/cached')
  @Version.tag()
  cached(_request: RouteRequest, reply: Reply) {
    return reply.header('cache-control', 'public, max-age=60').send(current)
  }
  @Get('/without')
  @Version.tag()
  without() {
    return { text: 'no version' }
  }
}
@Plugin({ routes: [Article] })
class App {}

const start = async () => {
  current = { text: 'Hello', version: 3 }
  handled = 0
  return bootstrap(App, { logger: false })
}
const get = (app: any, headers: object, url = '/article') => app.inject({ url, headers })
const put = (app: any, headers: object, method = 'PUT', url = '/article') =>
  app.inject({ method, url, headers, ...(method !== 'DELETE' && { payload: { text: 'new' } }) })

test('a reply has the version of its payload as ETag, also of a reply that is sent, and of a date', async () => {
  await using app = await start()
  assert.equal((await get(app, {})).headers.etag, '"3"')
  assert.equal((await get(app, {}, '/article/sent')).headers.etag, '"3"')
  assert.equal((await get(app, {}, '/article/named')).headers.etag, '"1970-01-01T00:00:00.000Z"')
})

test('If-None-Match with the current version is answered 304 without a body, by weak comparison', async () => {
  await using app = await start()
  for (const value of ['"3"', 'W/"3"', '"1", W/"3"', '*']) {
    const { statusCode, body, headers } = await get(app, { 'if-none-match': value })
    assert.deepEqual([statusCode, body, headers.etag, headers['content-type']], [304, '', '"3"', undefined], value)
  }
  for (const value of ['"2"', '"33"', '', 'nonsense', '3'])
    assert.equal((await get(app, { 'if-none-match': value })).statusCode, 200, value)
  assert.equal((await app.inject({ method: 'HEAD', url: '/article', headers: { 'if-none-match': '"3"' } })).statusCode, 304)
})

test('If-Match of a route that shows is compared strongly, and first', async () => {
  await using app = await start()
  for (const [value, status] of [
    ['"3"', 200],
    ['*', 200],
    ['"1", "3"', 200],
    ['W/"3"', 412],
    ['"2"', 412],
    ['3', 400],
  ] as const)
    assert.equal((await get(app, { 'if-match': value })).statusCode, status, value)
  assert.equal((await get(app, { 'if-match': '"2"', 'if-none-match': '"3"' })).statusCode, 412)
})

test('a refusal of a route that shows is not kept by caches, however long they may keep the payload', async () => {
  await using app = await start()
  const keptFor = async (headers: object): Promise<unknown[]> => {
    const reply = await get(app, headers, '/article/cached')
    return [reply.statusCode, reply.headers['cache-control']]
  }
  assert.deepEqual(await keptFor({ 'if-match': '"2"' }), [412, 'no-store'])
  assert.deepEqual(await keptFor({ 'if-match': 'none' }), [400, 'no-store'])
  assert.deepEqual(await keptFor({ 'if-none-match': '"3"' }), [304, 'public, max-age=60'])
  assert.deepEqual(await keptFor({}), [200, 'public, max-age=60'])
})

test('a change with the current version succeeds once, and has the new version as ETag', async () => {
  await using app = await start()
  const [first, second] = [await put(app, { 'if-match': '"3"' }), await put(app, { 'if-match': '"3"' })]
  assert.deepEqual([first.statusCode, first.headers.etag], [200, '"4"'])
  assert.deepEqual([second.statusCode, second.json().code], [412, 'VERSION_CHANGED'])
  assert.equal((await put(app, { 'if-match': '"9", "4"' })).statusCode, 200)
})

test('a change without a version is refused before the handler: 428, 412 for tags that are no versions, 400 for no list', async () => {
  await using app = await start()
  for (const [headers, status] of [
    [{}, 428],
    [{ 'if-match': '*' }, 428],
    [{ 'if-match': 'W/"3"' }, 412],
    [{ 'if-match': '"x"' }, 412],
    [{ 'if-match': '"03"' }, 412],
    [{ 'if-match': '3' }, 400],
    [{ 'if-match': '' }, 400],
    [{ 'if-match': '"3"', 'if-none-match': '*' }, 412],
    [{ 'if-match': '"3"', 'if-none-match': 'W/"3"' }, 412],
  ] as const)
    for (const method of ['PUT', 'DELETE'])
      assert.equal((await put(app, headers, method)).statusCode, status, `${method} ${JSON.stringify(headers)}`)
  assert.equal(handled, 0)
  assert.equal((await put(app, { 'if-match': '"3"', 'if-none-match': '"2"' })).statusCode, 200)
  assert.equal((await put(app, { 'if-match': '"4"' }, 'DELETE')).statusCode, 204)
})

test('an optional version is compared only if it is sent', async () => {
  await using app = await start()
  assert.equal((await put(app, {}, 'PATCH')).statusCode, 200)
  assert.equal((await put(app, { 'if-match': '*' }, 'PATCH')).statusCode, 200)
  assert.equal((await put(app, { 'if-match': '"3"' }, 'PATCH')).statusCode, 412)
  assert.equal((await put(app, { 'if-match': '"5"' }, 'PATCH')).statusCode, 200)
})

test('weak tags count only if the version accepts them', async () => {
  await using app = await start()
  assert.equal((await put(app, { 'if-match': 'W/"3"' })).statusCode, 412)
  assert.equal((await put(app, { 'if-match': 'W/"3"' }, 'PUT', '/article/weak')).statusCode, 200)
})

test('a payload without the version is a 500 that names the place', async () => {
  const lines: string[] = []
  await using app = await bootstrap(App, { logger: { level: 'error', stream: { write: (line: string) => void lines.push(line) } } })
  assert.equal((await get(app, {}, '/article/without')).statusCode, 500)
  assert.match(lines.join(''), /App > Article\.without answers with a payload whose 'version' is not an integer/)
})

test('a version that the response does not describe fails the boot', () => {
  const schema = { response: { 200: { type: 'object', properties: { text: { type: 'string' } } } } } as const
  @Injectable()
  @Controller('/broken')
  class Broken {
    @Get('/', schema)
    @Version.tag()
    show(_request: RouteRequest<typeof schema>) {
      return { text: '' }
    }
  }
  class Untagged extends Model({ $id: 'Untagged', type: 'object', properties: { text: { type: 'string' } } }) {}
  const byModel = { response: { 200: ref(Untagged) } } as const
  @Controller('/broken-model')
  class BrokenModel {
    @Get('/', byModel)
    @Version.tag()
    show(_request: RouteRequest<typeof byModel>) {
      return { text: '' }
    }
  }
  @Plugin({ routes: [Broken, BrokenModel] })
  class BrokenApp {}
  const faultsOf = (Application: Class): readonly Fault[] => {
    try {
      check(Application)
      return []
    } catch (error) {
      return (error as { faults: readonly Fault[] }).faults
    }
  }
  assert.deepEqual(
    faultsOf(BrokenApp).map(({ code, message }) => [code, message]),
    ['Broken', 'BrokenModel'].map((name) => [
      'HOOK_UNFIT',
      `BrokenApp > ${name}.show has the version 'version', which is no property of its response 200. Add 'version' to the schema, or name another property: version('…').`,
    ]),
  )
})

test('documents have the headers and the statuses of the routes with a version, and of no others', async () => {
  await using app = await start()
  const { paths } = openapi(app, { info: { title: 'Articles', version: '1' } })
  const operations: any = paths['/article'] ?? paths['/article/']
  const namesOf = ({ parameters = [] }: any) => parameters.map(({ name, required = false }: any) => [name, required])
  assert.deepEqual(namesOf(operations.get), [['if-none-match', false]])
  assert.deepEqual(namesOf(operations.put), [['if-match', true]])
  assert.deepEqual(namesOf(operations.patch), [['if-match', false]])
  assert.ok(operations.get.responses['200'].headers.etag)
  assert.equal(operations.get.responses['304'].content, undefined)
  assert.deepEqual(
    Object.keys(operations.put.responses).filter((status) => /^(?:304|400|412|428)$/.test(status)),
    ['400', '412', '428'],
  )
  assert.equal(operations.patch.responses['428'], undefined)
  assert.equal(describe(App).routes.length > 0, true)
})
