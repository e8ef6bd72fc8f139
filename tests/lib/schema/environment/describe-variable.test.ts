import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeVariable } from '../../../../lib/schema/environment/describe-variable.js'

test('a variable is described in words', () => {
  const cases: readonly [schema: object, words: string][] = [
    [{ type: 'string' }, 'a text'],
    [{ type: 'string', minLength: 1 }, 'a text'],
    [{ type: 'string', minLength: 8 }, 'a text of at least 8 characters'],
    [{ type: 'string', maxLength: 8 }, 'a text of at most 8 characters'],
    [{ type: 'string', minLength: 2, maxLength: 8 }, 'a text of at least 2 characters and at most 8 characters'],
    [{ type: 'string', format: 'uri', pattern: '^https:' }, 'a text of the format uri that matches ^https:'],
    [{ type: 'string', pattern: '^https:', description: 'https://…' }, 'a text (https://…)'],
    [{ type: 'boolean' }, 'true or false'],
    [{ type: 'number' }, 'a number'],
    [{ type: 'integer', minimum: 1 }, 'a whole number of at least 1'],
    [{ type: 'integer', maximum: 5 }, 'a whole number of at most 5'],
    [{ type: 'number', minimum: 0, maximum: 1 }, 'a number from 0 to 1'],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 'a number above 0 below 1'],
    [{ type: 'integer', multipleOf: 64 }, 'a whole number that is a multiple of 64'],
    [{ type: 'string', enum: ['a', 'b'] }, 'one of a, b'],
    [{ const: 'on' }, 'on'],
    [{ anyOf: [{ type: 'string' }] }, 'a value that its schema allows'],
    [{ type: 'integer', description: 'ms' }, 'a whole number (ms)'],
  ]
  for (const [schema, words] of cases) assert.equal(describeVariable(schema), words)
})

test('the pattern of a variable with a description is said if the schema refuses its value, and shortened if it is long', () => {
  const schema = { type: 'string', minLength: 5, pattern: '^a', description: 'the secret' }
  assert.equal(describeVariable(schema), 'a text of at least 5 characters (the secret)')
  assert.equal(describeVariable(schema, true), 'a text of at least 5 characters that matches ^a (the secret)')
  const long = describeVariable({ type: 'string', pattern: 'a'.repeat(200) })
  assert.equal(long, `a text that matches ${'a'.repeat(80)}… (200 characters)`)
})
