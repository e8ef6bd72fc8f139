/** The messages of libraries: an invalid value is not in them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServer, type StandardSchema } from 'alcove/lib'

/** The message of the 400 that a server gives if a library reports an issue. */
async function messageOf(issue: object, isProperty = false): Promise<string> {
  const schema: StandardSchema = { '~standard': { version: 1, vendor: 'acme', validate: () => ({ issues: [issue as never] }) } }
  const body = isProperty ? { name: schema } : schema
  const server = createServer()
  server.post('/', { schema: { body } }, () => '')
  const reply = await server.inject({ method: 'POST', url: '/', payload: {} })
  await server.close()
  return reply.json<{ message: string }>().message
}

test('the value that Valibot and ArkType quote is left out', async () => {
  const value = 'a "b"\\'
  const quoting: [message: string, issue: object, expected: string][] = [
    ['Expected /^x/ but received "a "b"\\"', { input: value }, 'Expected /^x/'],
    ['Expected <=5 but received 1234567', { input: 1234567 }, 'Expected <=5'],
    [String.raw`must be matched by ^x (was "a \"b\"\\")`, { data: value }, 'must be matched by ^x'],
    ['must be less than 5 (was 1234567)', { data: 1234567 }, 'must be less than 5'],
    ['must be an email address (was "x")', { data: 'x', input: { code: 'pattern' } }, 'must be an email address'],
    ['must be two equal passwords (was {"password":"x (was y)"})', { data: { password: 'x (was y)' } }, 'must be two equal passwords'],
    ['kind must be "a" or "b" (was ["x"])', { data: { kind: ['x'] } }, 'kind must be "a" or "b"'],
    ['pin must be 1 or 2 (was 1234)', { data: { pin: 1234 } }, 'pin must be 1 or 2'],
    ['must be less than 5 (was 77)', { data: 77, code: 'max' }, 'must be less than 5'],
    ['({"password":"x"}) must be...\n  ◦ valid', { data: { password: 'x' } }, 'must be...\n  ◦ valid'],
    ['Invalid credit card: Received "a "b"\\"', { input: value, received: '"a "b"\\"' }, 'Invalid credit card'],
    ['Expected <=5 but received 4111111111111111', { input: 4111111111111111n, received: '4111111111111111' }, 'Expected <=5'],
    [
      'Expected <=2000-01-01T00:00:00.000Z but received 2011-01-02T00:00:00.000Z',
      { input: new Date('2011-01-02'), received: '2011-01-02T00:00:00.000Z' },
      'Expected <=2000-01-01T00:00:00.000Z',
    ],
    ['Invalid integer: Received 1.5', { input: 1.5, received: '1.5' }, 'Invalid integer'],
    ['Invalid start: Expected "q" but received "a"', { input: value, received: '"a"' }, 'Invalid start: Expected "q"'],
    ['Invalid JSON: Received ""a" is not JSON"', { input: value, received: '""a" is not JSON"' }, 'Invalid JSON'],
    ['t must be "a" (was "x")', { data: { t: 'x' } }, 't must be "a"'],
    [String.raw`a ("a \"b\"\\") must be... an email address`, { data: value }, 'a must be... an email address'],
    ['(1.5) must be... an integer', { data: 1.5 }, 'must be... an integer'],
    ['must be a JSON string (SyntaxError: "a" is not JSON)', { data: value }, 'must be a JSON string'],
  ]
  for (const [message, issue, expected] of quoting) {
    assert.equal(await messageOf({ message, ...issue }), `body ${expected}`)
    assert.equal(await messageOf({ message, ...issue }, true), `body/name ${expected}`)
  }
})

test('what a message says of other things than the value stays', async () => {
  const others: [message: string, issue: object][] = [
    ['Expected "m" but received undefined', { input: undefined }],
    ['Expected >=10 but received 5', { input: 'short' }],
    ['must be at least length 11 (was 5)', { data: 'short', code: 'minLength' }],
    ['must be a number (was a string)', { data: 'secret' }],
    ['must be true (was false)', { data: false }],
    ['must be a string (was missing)', { data: { password: 'x' } }],
    ['is one of the list', { input: 'is one of the list' }],
  ]
  for (const [message, issue] of others) assert.equal(await messageOf({ message, ...issue }), `body ${message}`)
})
