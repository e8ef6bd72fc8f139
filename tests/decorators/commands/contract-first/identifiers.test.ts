/** Names of TypeScript for the names of a document. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { camel, kebab, Names, pascal } from '../../../../decorators/commands/contract-first/identifiers.js'

test('words become names in the spelling of classes, members and files', () => {
  for (const [given, asClass, asMember, asFile] of [
    ['find pets-by_id', 'FindPetsById', 'findPetsById', 'find-pets-by-id'],
    ['APIKey', 'APIKey', 'apiKey', 'apikey'],
    ['2nd', 'X2nd', 'x2nd', '2nd'],
    ['名前', 'X', 'x', 'x'],
    ['../../etc/passwd', 'EtcPasswd', 'etcPasswd', 'etc-passwd'],
  ] as const) {
    assert.deepEqual([pascal(given, 'X'), camel(given, 'X'), kebab(given, 'x')], [asClass, asMember, asFile])
  }
})

test('any text becomes an identifier', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (given) => {
      const names = new Names()
      for (const name of [names.take(pascal(given, 'Other')), names.take(camel(given, 'other'))])
        assert.match(name, /^[A-Za-z][A-Za-z0-9]*$/)
      assert.match(kebab(given, 'other'), /^[a-z0-9-]+$/)
    }),
  )
})

test('a name is used once, in the order of the document, and is no word of the language', () => {
  const names = new Names(['ref'])
  assert.deepEqual(
    ['find', 'find', 'Find', 'class', 'ref', 'constructor', 'toString'].map((name) => names.take(name)),
    ['find', 'find2', 'Find3', 'class2', 'ref2', 'constructor2', 'toString2'],
  )
})
