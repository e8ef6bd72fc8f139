/** The faults of routes at boot. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer } from 'alcove'

const broken = { type: 'object', properties: { name: { type: 'no-such-type' } } }

test('a broken schema is one fault, although its route has a HEAD twin', async () => {
  const server = createServer()
  server.get('/', { schema: { querystring: broken } }, () => '')
  await assert.rejects(Promise.resolve(server.ready()), { code: 'ALC_ERR_SCH_VALIDATION_BUILD', message: /GET: \// })
})

test('several faults are reported together, under their common code if they have one', async () => {
  const server = createServer()
  server.get('/one', { schema: { querystring: broken } }, () => '')
  server.post('/two', { schema: { body: broken } }, () => '')
  await assert.rejects(Promise.resolve(server.ready()), {
    code: 'ALC_ERR_SCH_VALIDATION_BUILD',
    message: /^2 faults were found:\n.*GET: \/one.*\n.*POST: \/two.*\nFor an explanation: npx alcove errors ALC_ERR_SCH_VALIDATION_BUILD$/,
  })
  await server.close()

  const mixed = createServer()
  mixed.get('/one', { schema: { querystring: broken } }, () => '')
  mixed.get('/two', { schema: { response: { 200: { $ref: 'nowhere#' } } } }, () => '')
  await assert.rejects(Promise.resolve(mixed.ready()), {
    code: 'ALC_ERR_BOOT_FAULTS',
    message: /\nFor an explanation: npx alcove errors ALC_ERR_SCH_VALIDATION_BUILD ALC_ERR_SCH_SERIALIZATION_BUILD$/,
  })
})

test('the error of several faults has a list of them', async () => {
  const server = createServer()
  server.get('/one', { schema: { querystring: broken } }, () => '')
  server.post('/two', { schema: { body: broken } }, () => '')
  await assert.rejects(Promise.resolve(server.ready()), ({ errors }: { errors: { part: string }[] }) => {
    assert.deepEqual(
      errors.map(({ part }) => part),
      ['querystring', 'body'],
    )
    return true
  })
})

test('a keyword, a format or a type that does not exist is reported with the name that it resembles', async () => {
  const cases = [
    [{ type: 'string', maxLenght: 3 }, /unknown keyword: "maxLenght" \(in the schema of querystring\)\. Did you mean 'maxLength'\?$/],
    [{ type: 'string', format: 'emial' }, /unknown format "emial" ignored .* \(in the schema of querystring\)\. Did you mean 'email'\?$/],
    [{ type: 'string', zebra: 3 }, /unknown keyword: "zebra" \(in the schema of querystring\)$/],
    [{ type: 'strng' }, /\(in the schema of querystring\)\. Did you mean 'string'\?$/],
    [{ type: 'int' }, /\. 'int' is not a type\. Types are: string, number, integer, boolean, array, object, null$/],
    [{ type: ['string', 'nul'] }, /\(in the schema of querystring\)$/],
  ] as const
  for (const [name, message] of cases) {
    const server = createServer()
    server.get('/', { schema: { querystring: { type: 'object', properties: { name } } } }, () => '')
    await assert.rejects(Promise.resolve(server.ready()), { message })
  }
})

test('a response that is no status is named', async () => {
  const server = createServer()
  server.get('/', { schema: { response: { ok: { type: 'string' } } } } as never, () => '')
  await assert.rejects(Promise.resolve(server.ready()), { message: /nested under a valid status code, .*, not under 'ok'$/ })
})
