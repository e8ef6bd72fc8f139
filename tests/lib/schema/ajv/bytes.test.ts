import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createServer, type ServerOptions } from 'alcove/lib'
import { answer } from '../../../fixtures/answer.js'

const binary = { type: 'string', format: 'binary' } as const

/** The answer of a route to bytes: what its handler receives, or status and message. The parser makes the body of the bytes. */
async function answerBytes(
  body: object,
  sent: Buffer,
  parse: (bytes: Buffer) => unknown = (bytes) => bytes,
  options: ServerOptions = {},
  shared: readonly object[] = [],
): Promise<unknown> {
  const server = createServer(options)
  let got: unknown
  for (const schema of shared) server.addSchema(schema)
  server.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) => parse(bytes))
  server.post('/', { schema: { body } }, (request) => {
    got = request.body
    return { ok: true }
  })
  const headers = { 'content-type': 'application/octet-stream' }
  const reply = await server.inject({ method: 'POST', url: '/', payload: sent, headers })
  await server.close()
  return reply.statusCode === 200 ? got : `${reply.statusCode} ${reply.json().message}`
}

const form = (properties: object): object => ({ type: 'object', required: ['file'], properties })
const asFile = (file: unknown) => () => ({ file })

describe('a schema of the format binary', () => {
  test('accepts bytes as a body, and as members and items', async () => {
    const bytes = Buffer.from([0, 255, 10])
    assert.deepEqual(await answerBytes(binary, bytes), bytes)
    const array = new Uint8Array([1, 2])
    assert.deepEqual(await answerBytes(form({ file: binary }), bytes, asFile(array)), { file: array })
    assert.deepEqual(await answerBytes(form({ file: { type: 'array', items: binary } }), bytes, asFile([bytes])), { file: [bytes] })
  })

  test('is a list of one, if the schema of a property says so and a form has one file', async () => {
    const list = { type: 'array', items: binary }
    const bytes = Buffer.from([0, 255])
    const twoTypes = {
      content: { 'application/octet-stream': { schema: form({ file: list }) }, 'application/json': { schema: { type: 'object' } } },
    }
    const local = { ...form({ file: { $ref: '#/definitions/files' } }), definitions: { files: list } }
    for (const body of [form({ file: list }), twoTypes, { $ref: 'Upload#' }, local])
      assert.deepEqual(await answerBytes(body, bytes, asFile(bytes), {}, [{ $id: 'Upload', ...form({ file: list }) }]), { file: [bytes] })
    assert.deepEqual(await answerBytes(form({ file: list }), bytes, asFile(bytes), { schemaController: { coerceBodies: false } }), {
      file: [bytes],
    })
    assert.deepEqual(await answerBytes(form({ file: binary }), bytes, asFile(bytes)), { file: bytes })
  })

  test('accepts and refuses what a text of it did before, in the same words', async () => {
    assert.equal(await answer(binary, 'text'), 'text')
    assert.deepEqual(await answer(form({ file: binary }), { file: 7 }), { file: '7' })
    assert.deepEqual(await answer(form({ file: binary }), { file: ['a'] }), { file: 'a' })
    assert.equal(await answer(form({ file: binary }), { file: {} }), '400 body/file should be string')
    assert.equal(await answer(form({ file: binary }), {}), "400 body should have required property 'file'")
    assert.deepEqual(await answer(form({ file: { ...binary, default: 'a' } }), {}), { file: 'a' })
    assert.deepEqual(await answer(form({ file: { ...binary, nullable: true } }), { file: null }), { file: null })
    assert.deepEqual(await answer(form({ file: { type: ['string', 'null'], format: 'binary' } }), { file: null }), { file: null })
  })

  test('limits the number of bytes as it limits the characters of a text', async () => {
    const limited = { ...binary, minLength: 2, maxLength: 3 }
    assert.deepEqual(await answerBytes(limited, Buffer.alloc(3)), Buffer.alloc(3))
    assert.equal(await answerBytes(limited, Buffer.alloc(4)), '400 body should NOT have more than 3 bytes')
    assert.equal(await answerBytes(limited, Buffer.alloc(1)), '400 body should NOT have fewer than 2 bytes')
    assert.equal(await answer(form({ file: limited }), { file: 'abcd' }), '400 body/file should NOT have more than 3 characters')
    const all = { jsv: { customOptions: { allErrors: true } } }
    assert.equal(await answerBytes(limited, Buffer.alloc(4), undefined, all), '400 body should NOT have more than 3 bytes')
  })

  test('accepts bytes among alternatives, behind references, and without coercion', async () => {
    const bytes = Buffer.from('a')
    const either = { anyOf: [{ type: 'integer' }, binary] }
    assert.deepEqual(await answerBytes(either, bytes), bytes)
    assert.equal(
      await answer(form({ file: either }), { file: {} }).then((text) => String(text).slice(0, 28)),
      '400 body/file should be inte',
    )
    const shared = [
      { $id: 'Upload', ...form({ file: { $ref: 'File#' } }) },
      { $id: 'File', ...binary },
    ]
    assert.deepEqual(await answerBytes({ $ref: 'Upload#' }, bytes, asFile(bytes), {}, shared), { file: bytes })
    const inside = { ...form({ file: { $ref: '#/definitions/file' } }), definitions: { file: binary } }
    assert.deepEqual(await answerBytes(inside, bytes, asFile(bytes)), { file: bytes })
    const exact = { schemaController: { coerceBodies: false } }
    assert.deepEqual(await answerBytes(form({ file: binary }), bytes, asFile(bytes), exact), { file: bytes })
    assert.equal(await answer(form({ file: binary }), { file: 7 }, exact), '400 body/file should be string')
  })

  test('is one only as a schema: data and names of properties that look like it stay', async () => {
    assert.deepEqual(await answer({ type: 'object', properties: { a: { default: binary } } }, {}), { a: binary })
    const named = { type: 'object', properties: { type: { type: 'integer' }, format: { const: 'binary' } } }
    assert.deepEqual(await answer(named, { type: '1', format: 'binary' }), { type: 1, format: 'binary' })
  })

  test('refuses bytes where a text of another format, or an object, is described', async () => {
    assert.equal(await answerBytes({ type: 'string', format: 'byte' }, Buffer.from('a')), '400 body should be string')
    assert.equal(await answerBytes({ type: 'string' }, Buffer.from('a')), '400 body should be string')
  })
})
