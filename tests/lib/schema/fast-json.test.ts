/** The default serializer: how it differs from fast-json-stringify, which it wraps. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

async function repliesOf(schema: object, payloads: readonly unknown[], shared: readonly object[] = []): Promise<string[]> {
  const server = createServer()
  for (const each of shared) server.addSchema(each)
  let index = 0
  server.get('/', { schema: { response: { 200: schema } } }, () => payloads[index++])
  const replies: string[] = []
  for (const _payload of payloads) replies.push((await server.inject('/')).payload)
  await server.close()
  return replies
}

test('a list is written as a list if texts and lists are allowed, in any order', async () => {
  const a = { type: ['string', 'array', 'null'], items: { type: 'string' } }
  const payloads = [{ a: ['p', 'q'] }, { a: 'p' }, { a: null }]
  const expected = ['{"a":["p","q"]}', '{"a":"p"}', '{"a":null}']
  assert.deepEqual(await repliesOf({ type: 'object', properties: { a } }, payloads), expected)
  assert.deepEqual(await repliesOf({ type: 'object', properties: { a: { ...a, type: ['null', 'array', 'string'] } } }, payloads), expected)
  assert.deepEqual(await repliesOf({ type: 'object', properties: { a: { $ref: 'Names#' } } }, payloads, [{ $id: 'Names', ...a }]), expected)
})

test('a schema with a choice writes no warnings to the console', () => {
  const program = `
    import { createServer } from 'alcove/lib'
    const kind = { properties: { k: { const: 'a' } } }
    const response = { 200: { type: 'object', if: kind, then: { properties: { x: { type: 'string' } } }, else: { properties: { y: { items: [{ type: 'string' }] } } } } }
    const server = createServer()
    server.get('/', { schema: { response } }, () => ({ k: 'a', x: 'x', y: 'y' }))
    console.log((await server.inject('/')).payload)`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  assert.deepEqual([stdout, stderr], ['{"x":"x"}\n', ''])
})
