/**
 * Which definitions of ArkType are read as exact. The definitions are those that ArkType 2.2 writes as `json`; `npm run test:libraries`
 * compares them with ArkType itself.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, describeContexts, type StandardSchema } from 'alcove/lib'

/** The engine of a body with this definition. */
async function engineOf(json: unknown): Promise<string | undefined> {
  const standard: StandardSchema = { '~standard': { version: 1, vendor: 'arktype', validate: (value) => ({ value }) } }
  const schema = Object.assign(() => {}, { json }, standard)
  const server = createServer()
  server.post('/', { schema: { body: schema } }, () => '')
  await server.ready()
  const [route] = describeContexts(server).routes
  await server.close()
  return route!.engines.body
}

const ofProperty = (value: unknown, beside: object = {}): object => ({ required: [{ key: 'a', value }], domain: 'object', ...beside })

const exact: Record<string, unknown> = {
  'string > 0': ofProperty({ domain: 'string', minLength: 1 }),
  string: ofProperty('string'),
  '1 < number.integer <= 5': ofProperty({ domain: 'number', divisor: 1, max: 5, min: { exclusive: true, rule: 1 } }),
  boolean: ofProperty([{ unit: false }, { unit: true }]),
  "'x' | 'y' | null": ofProperty([{ unit: 'x' }, { unit: 'y' }, { unit: null }]),
  'string | number': ofProperty(['number', 'string']),
  'string | null': ofProperty(['string', { unit: null }]),
  'string[] > 1': { sequence: 'string', proto: 'Array', minLength: 2 },
  'an optional property': ofProperty('string', { optional: [{ key: 'b', value: ofProperty('number') }] }),
}
for (const [name, json] of Object.entries(exact))
  test(`${name}: ajv alone validates`, async () => assert.equal(await engineOf(json), 'ajv'))

const inexact: Record<string, unknown> = {
  narrow: ofProperty({ domain: 'string', predicate: ['$ark.fn13'] }),
  'narrow of an object': ofProperty('string', { predicate: ['$ark.fn13'] }),
  pipe: ofProperty({ in: 'string', morphs: ['$ark.fn12'] }),
  pattern: ofProperty({ domain: 'string', pattern: [{ flags: '', rule: '^a$' }] }),
  'string > 2, in UTF-16 units': ofProperty({ domain: 'string', minLength: 3 }),
  'number % 2': ofProperty({ domain: 'number', divisor: 2 }),
  'a message': ofProperty({ domain: 'string', meta: { message: 'x' } }),
  'keys that are removed': ofProperty('string', { undeclared: 'delete' }),
  'keys that are refused': ofProperty('string', { undeclared: 'reject' }),
  'an index': ofProperty('string', { index: [{ signature: 'string', value: 'number' }] }),
  'a default': ofProperty('string', { optional: [{ key: 'b', value: 'string', default: 'x' }] }),
  'a key that is a symbol': { required: [{ key: 'Symbol(a)', value: 'string' }], domain: 'object' },
  'an object that a list can be': { optional: [{ key: 'a', value: 'string' }], domain: 'object' },
  'an object with a length': { required: [{ key: 'length', value: 'number' }], domain: 'object' },
  'a circle': ofProperty(['$ark.type24', { unit: null }]),
  'a unit that is a date': ofProperty({ unit: '1970-01-01T00:00:00.000Z' }),
  'a unit that is undefined': ofProperty([{ unit: 'undefined' }, { unit: 'x' }]),
  'a unit that is a bigint': ofProperty({ unit: '5n' }),
  'alternatives of objects': [ofProperty('string'), ofProperty('number')],
  'a tuple': { sequence: { prefix: ['string'] }, proto: 'Array', minLength: 1 },
  'a class': { proto: 'Date' },
  'no definition': undefined,
}
for (const [name, json] of Object.entries(inexact))
  test(`${name}: ArkType validates`, async () => assert.equal(await engineOf(json), 'ArkType'))
