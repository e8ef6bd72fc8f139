/** A header schema is applied whatever the case of the names in it; one that could not be applied is refused at boot. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bootstrap,
  compression,
  Controller,
  createServer,
  Get,
  Hook,
  Plugin,
  Post,
  Schema,
  sendRanges,
  type Reply,
  type Request,
  use,
} from 'alcove'
import { version } from 'alcove/conditional'
import { Idempotent, IdempotencyPlugin, MemoryStore } from 'alcove/idempotency'
import { exchange, get, wireTest } from './wire.js'

const options = { jsv: { customOptions: { strict: false, logger: false } } } as const
const shared = [
  { $id: 'http://schemas.example/headers/auth.json', required: ['X-Key'], properties: { 'X-Key': { $ref: 'key.json' } } },
  { $id: 'http://schemas.example/headers/key.json', type: 'string', maxLength: 3 },
  { $id: 'folder/auth', required: ['X-Key'], properties: { 'X-Key': { maxLength: 3 } } },
]
const nested = (levels: number): object =>
  Array.from({ length: levels }).reduce<object>((below) => ({ allOf: [below] }), { properties: { 'X-Key': { maxLength: 3 } } })

const applied: Record<string, object> = {
  'a relative reference': { $id: 'http://schemas.example/headers/all.json', $ref: 'auth.json' },
  'a relative reference to a folder above': { $id: 'http://schemas.example/other/all.json', allOf: [{ $ref: '../headers/auth.json' }] },
  'a relative reference between names without a host': { $id: 'folder/all', allOf: [{ $ref: 'auth' }] },
  'thirty levels': nested(30),
  'a negated class of lower case': { type: 'object', patternProperties: { '^x-[^a-j]\\D\\S$': { maxLength: 3 } } },
  'a schema without prototype': Object.assign(Object.create(null), { properties: { 'X-Key': { maxLength: 3 } } }) as object,
}

wireTest(
  'a header that a schema names in any case is validated, also behind relative references and on many levels',
  (server) => {
    for (const schema of shared) server.addSchema(schema)
    for (const [name, headers] of Object.entries(applied)) server.get(`/${name.replaceAll(' ', '-')}`, { schema: { headers } }, () => 'ok')
  },
  async ({ port }) => {
    for (const name of Object.keys(applied)) {
      const statuses = []
      for (const value of ['abc', 'abcd'])
        statuses.push((await exchange(port, get(`/${name.replaceAll(' ', '-')}`, `X-Key: ${value}\r\n`)))[0]!.status)
      assert.deepEqual(statuses, [200, 400], name)
    }
  },
  options,
)

describe('a header schema is refused at boot, and the message says why, if it has', () => {
  const refused: Record<string, [object, RegExp]> = {
    'more than 32 levels': [nested(40), /more than 32 levels/],
    'a circle of references': [
      { allOf: [{ $ref: '#/definitions/a' }], definitions: { a: { anyOf: [{ $ref: '#/definitions/a' }] } } },
      /circle/,
    ],
    'a pattern of upper case': [
      { type: 'object', patternProperties: { '^X-': { maxLength: 3 } } },
      /'\^X-' has capital letters .* lower case/,
    ],
    'the code of a letter': [{ type: 'object', patternProperties: { '^\\x58-': { maxLength: 3 } } }, /lower case/],
    'a negated class of upper case': [{ type: 'object', patternProperties: { '^x-[^A-Z]+$': { maxLength: 3 } } }, /lower case/],
    'a negated class of a range with upper case': [{ type: 'object', patternProperties: { '^[^0-Z]+$': { maxLength: 3 } } }, /lower case/],
    'a negated class in the names': [{ type: 'object', propertyNames: { pattern: '^[^A-Z]+$' } }, /lower case/],
    'a property of upper case': [{ type: 'object', patternProperties: { '^\\p{Lu}': { maxLength: 3 } } }, /lower case/],
    'a property of all but lower case': [{ type: 'object', patternProperties: { '^[\\P{Ll}]': { maxLength: 3 } } }, /lower case/],
    'a reference to a schema of the engine alone': [{ $ref: 'engine' }, /'engine' leads to no shared schema/],
    'a reference that leads nowhere': [{ $ref: 'nowhere' }, /nowhere/],
  }
  for (const [name, [headers, message]] of Object.entries(refused)) {
    test(name, async () => {
      const addSchema = (engine: { addSchema: (schema: object) => void }): void => engine.addSchema({ $id: 'engine', required: ['X-Key'] })
      const server = createServer({ jsv: { ...options.jsv, onCreate: addSchema } })
      server.get('/', { schema: { headers } }, () => 'ok')
      await assert.rejects(async () => server.ready(), message)
      await server.close()
    })
  }
})

test('a schema that removes all other headers hides none of them from the features of the framework', async () => {
  const headers = { type: 'object', additionalProperties: false, properties: { 'x-a': { type: 'string' } } } as const
  const Version = version('version')
  const article = {
    response: { 200: { type: 'object', properties: { version: { type: 'integer' }, text: { type: 'string' } } } },
    headers,
  } as const
  let orders = 0
  @Controller()
  class Strict {
    @Get('/article')
    @Schema(article)
    @Version.tag()
    @Hook('onSend', compression({ threshold: 1 }))
    find() {
      return { version: 3, text: 'x'.repeat(100) }
    }
    @Post('/orders')
    @Schema({ headers })
    @Idempotent()
    order() {
      return { order: ++orders }
    }
    @Get('/bytes')
    @Schema({ headers })
    bytes(_request: Request, reply: Reply) {
      return sendRanges(reply, { size: 4, read: () => Buffer.from('a') })
    }
  }
  @Plugin({ imports: [use(IdempotencyPlugin, { store: new MemoryStore(), caller: 'anyone' })], routes: [Strict] })
  class App {}
  await using server = await bootstrap(App)
  const send = (method: 'GET' | 'POST', url: string, sent: Record<string, string>) => server.inject({ method, url, headers: sent })
  assert.equal((await send('GET', '/article', { 'if-none-match': '"3"' })).statusCode, 304)
  assert.equal((await send('GET', '/article', { 'if-match': '"2"' })).statusCode, 412)
  assert.equal((await send('GET', '/article', { 'accept-encoding': 'gzip' })).headers['content-encoding'], 'gzip')
  assert.equal((await send('GET', '/bytes', { range: 'bytes=0-0' })).statusCode, 206)
  for (const _ of [1, 2]) assert.deepEqual((await send('POST', '/orders', { 'idempotency-key': 'k' })).json(), { order: 1 })
})
