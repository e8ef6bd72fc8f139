/** A body with a schema reaches its handler validated or not at all, also if it was not sent. */
import assert from 'node:assert/strict'
import type { Server } from 'alcove/lib'
import { exchange, post, wireTest } from './wire.js'

const demanding: Record<string, object> = {
  'required alone': { required: ['a'] },
  'required in allOf': { allOf: [{ required: ['a'] }] },
  'required in anyOf': { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
  'required in oneOf': { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
  'required behind a reference': { definitions: { x: { required: ['a'] } }, $ref: '#/definitions/x' },
  'required in a shared schema': { $ref: 'untyped#' },
  'required in a typed shared schema': { $ref: 'typed#' },
  'a typed object': { type: 'object', required: ['a'] },
  'a typed object without required': { type: 'object', properties: { a: { type: 'integer' } } },
  'a condition': { if: { required: ['a'] }, then: true, else: false },
  minProperties: { minProperties: 1 },
  'minProperties that may be null or an object in allOf': { allOf: [{ type: ['object', 'string'] }, { minProperties: 1 }] },
  'a text': { type: 'string' },
  'a number': { type: 'number' },
  'a list': { type: 'array', items: {} },
  'an asynchronous schema': { $async: true, required: ['a'] },
  'an asynchronous schema of a text': { $async: true, type: 'string' },
  false: { not: {} },
}
const content: Record<string, object> = {
  'null by its type': { type: ['object', 'null'], required: ['a'] },
  nullable: { type: 'object', nullable: true, required: ['a'] },
  'null behind a reference': { $ref: 'nullable#' },
  'null among alternatives': { oneOf: [{ type: 'null' }, { type: 'object', required: ['a'] }] },
  'null in an enum': { enum: [1, null] },
  'an asynchronous null': { $async: true, type: ['object', 'null'], required: ['a'] },
  'properties that may be missing': { properties: { a: { type: 'integer' } } },
  'asynchronous properties that may be missing': { $async: true, properties: { a: { type: 'integer' } } },
  'no restriction': { allOf: [true] },
}

let ran = 0

function declare(server: Server): void {
  server.addSchema({ $id: 'untyped', required: ['a'] })
  server.addSchema({ $id: 'typed', type: 'object', required: ['a'] })
  server.addSchema({ $id: 'nullable', type: ['object', 'null'], required: ['a'] })
  for (const [name, body] of Object.entries({ ...demanding, ...content })) {
    server.post(`/${name.replaceAll(' ', '-')}`, { schema: { body } }, (request) => {
      ran++
      return { absent: request.body === undefined, value: request.body ?? null }
    })
  }
}

const options = { jsv: { customOptions: { strict: false, logger: false } } }
const path = (name: string): string => `/${name.replaceAll(' ', '-')}`
const nothing = (name: string): string => `POST ${path(name)} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`

wireTest(
  'a body that was not sent is refused if the schema would refuse an empty object',
  declare,
  async ({ port }) => {
    for (const name of Object.keys(demanding)) {
      const before = ran
      for (const request of [nothing(name), nothing(name).replace('\r\n\r\n', '\r\nContent-Length: 0\r\n\r\n')]) {
        const [answer] = await exchange(port, request)
        assert.equal(answer!.status, 400, `${name}: ${answer!.body}`)
      }
      assert.equal(ran, before, name)
    }
  },
  options,
)

wireTest(
  'a body that was not sent stays absent if the schema allows null, or an object without properties',
  declare,
  async ({ port }) => {
    for (const name of Object.keys(content)) {
      const [answer] = await exchange(port, nothing(name))
      assert.deepEqual([answer!.status, answer!.body], [200, '{"absent":true,"value":null}'], name)
    }
  },
  options,
)

wireTest(
  'null in JSON is validated as null',
  declare,
  async ({ port }) => {
    for (const name of ['a typed object', 'required in a typed shared schema', 'false']) {
      assert.equal((await exchange(port, post(path(name), 'application/json', 'null')))[0]!.status, 400, name)
    }
    for (const name of Object.keys(content)) {
      const [answer] = await exchange(port, post(path(name), 'application/json', 'null'))
      assert.deepEqual([answer!.status, answer!.body], [200, '{"absent":false,"value":null}'], name)
    }
  },
  options,
)
