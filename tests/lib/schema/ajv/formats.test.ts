/** The formats of the default engine: their verdicts are those of ajv-formats. */
import { fullFormats } from 'ajv-formats/dist/formats.js'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { formats } from '../../../../lib/schema/ajv/formats.js'

type Name = keyof typeof fullFormats

/** Texts of each format that is looked at character by character, valid or nearly so. */
const samples = {
  date: ['2024-02-28', '2024-02-29', '2023-02-29', '1990-12-31', '0000-01-01', '2024-13-01', '2024-00-10', '2024-04-31', '9999-12-28'],
  time: [
    '09:30:00Z',
    '23:59:60Z',
    '23:59:59.999999999Z',
    '00:00:00+05:30',
    '12:00:00-0800',
    '12:00:00+05',
    '24:00:00Z',
    '12:60:00z',
    '12:00:00',
  ],
  'date-time': [
    '2024-05-17T09:30:00.000Z',
    '2024-05-17t09:30:00z',
    '2024-05-17 09:30:00+02:00',
    '1998-12-31T23:59:60Z',
    '1998-12-31T15:59:60.123-08:00',
    '2024-02-30T10:00:00Z',
    '2024-05-17T23:59:59.99999999999999999999Z',
    '2024-05-17T09:30:00',
  ],
  'iso-time': ['09:30:00', '09:30:00.5', '09:30:00Z', '23:59:60+00:00', '9:30:00'],
  'iso-date-time': ['2024-05-17T09:30:00', '2024-05-17 09:30:00Z', '2024-05-17T09:30:00.5+0200', '2024-05-17T25:00:00'],
  uri: [
    'https://example.com/people/ada',
    'http://user:pw@example.com:8080/a/b?c=d&e=%20#f',
    'urn:isbn:0451450523',
    'http:///path//x',
    'a+b.c-d://x',
    'http://[::1]/',
    'https://exämple.com',
    'mailto:ada@example.com',
    '//no-scheme',
    'http://a/%zz',
    'http://',
    'x',
  ],
  uuid: [
    '0b9e8d1a-53c7-4e5f-9d57-3c2f6f6a1f10',
    '0B9E8D1A-53C7-4E5F-9D57-3C2F6F6A1F10',
    'urn:uuid:0b9e8d1a-53c7-4e5f-9d57-3c2f6f6a1f10',
    '0b9e8d1a53c74e5f9d573c2f6f6a1f10',
  ],
  email: [
    'ada.lovelace@example.com',
    "o'hara+x_y@a-b.c.de",
    '.a@b.c',
    'a.@b.c',
    'a..b@c.d',
    'a@b',
    'a@-b.c',
    'a@b-.c',
    '@b.c',
    'a@b.c.',
    'a@b@c.d',
  ],
} satisfies Partial<Record<Name, string[]>>

/** Characters that decide something somewhere, others beyond ASCII, and half of a pair. */
const characters = [...'0123456789abfgzATZtzK:-+./@#?%_~[] \n'.split(''), '٣', 'é', 'K', 'ſ', '\u{1F600}', '\u{D800}']

/** A text with up to three characters changed, inserted or left out. */
function mutated(texts: readonly string[]): fc.Arbitrary<string> {
  const change = fc.record({ at: fc.nat(40), kind: fc.constantFrom('replace', 'insert', 'remove'), by: fc.constantFrom(...characters) })
  return fc.tuple(fc.constantFrom(...texts), fc.array(change, { maxLength: 3 })).map(([text, changes]) => {
    let result = text
    for (const { at, kind, by } of changes) {
      const end = at + (kind === 'insert' ? 0 : 1)
      result = result.slice(0, at) + (kind === 'remove' ? '' : by) + result.slice(end)
    }
    return result
  })
}

function validate(format: unknown, text: string): boolean {
  const found: any = typeof format === 'object' && !(format instanceof RegExp) ? (format as { validate: unknown }).validate : format
  return Boolean(found instanceof RegExp ? found.test(text) : found(text))
}

describe('a format accepts exactly the texts that ajv-formats accepts', () => {
  for (const [name, texts] of Object.entries(samples)) {
    test(name, () => {
      const isSame = (text: string): void =>
        assert.equal(validate(formats[name], text), validate(fullFormats[name as Name], text), JSON.stringify(text))
      for (const text of texts) isSame(text)
      fc.assert(fc.property(mutated(texts), isSame), { numRuns: 5000 })
      fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 40 }), isSame), { numRuns: 1000 })
    })
  }

  test('the samples have valid and invalid texts of each', () => {
    for (const [name, texts] of Object.entries(samples))
      assert.equal(new Set(texts.map((text) => validate(formats[name], text))).size, 2, name)
  })
})
