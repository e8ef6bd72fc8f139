/** The default parser of JSON bodies: its limits, and how it treats poisoned keys. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import secureJson from 'secure-json-parse'
import { createServer } from 'alcove/lib'
import { send } from '../../fixtures/bodies.js'

describe('the default JSON parser', () => {
  const nested = (depth: number, filling = ''): string => `${'['.repeat(depth)}${filling}${']'.repeat(depth)}`

  test('accepts values nested up to 1000 levels deep, and does not count brackets in strings', async () => {
    const server = createServer()
    server.post('/', () => 'read')
    const many = '[{'.repeat(600)
    const cases: [title: string, text: string, answer: string][] = [
      ['1000 lists', nested(1000), 'read'],
      ['1001 lists', nested(1001), '400 ALC_ERR_CTP_BODY_TOO_DEEP'],
      ['objects and lists', `${'{"a":['.repeat(501)}${']}'.repeat(501)}`, '400 ALC_ERR_CTP_BODY_TOO_DEEP'],
      ['objects', `${'{"a":'.repeat(1001)}1${'}'.repeat(1001)}`, '400 ALC_ERR_CTP_BODY_TOO_DEEP'],
      ['many lists side by side', `[${Array.from({ length: 1500 }, () => '[]').join()}]`, 'read'],
      ['many objects side by side', `[${Array.from({ length: 1500 }, () => '{}').join()}]`, 'read'],
      ['brackets in a string', `["${many}${many}"]`, 'read'],
      ['brackets after an escaped quote', `["a\\"${many}${many}"]`, 'read'],
      ['brackets after a string that ends with a backslash', `["a\\\\",${nested(1000)}]`, '400 ALC_ERR_CTP_BODY_TOO_DEEP'],
      ['brackets after a string', `["a",${nested(999)}]`, 'read'],
      ['a string without an end', `["${many}${many}`, '400 undefined'],
      ['opening brackets alone, which are not JSON', '['.repeat(1500), '400 undefined'],
      ['very many opening brackets alone', '['.repeat(500_000), '400 undefined'],
      ['very many lists side by side', `[${Array.from({ length: 100_000 }, () => '[]').join()}]`, 'read'],
      ['very many lists behind a long text', `["${'a'.repeat(100_000)}",${nested(200_000)}]`, '400 ALC_ERR_CTP_BODY_TOO_DEEP'],
      ['very many brackets in a string', `["${many.repeat(100)}"]`, 'read'],
      ['500,000 lists', nested(500_000), '400 ALC_ERR_CTP_BODY_TOO_DEEP'],
    ]
    for (const [title, text, answer] of cases) assert.equal(await send(server, 'application/json', text), answer, title)
    await server.close()
  })

  test('refuses numbers that a double cannot hold, anywhere in the body, and accepts all others', async () => {
    const server = createServer()
    server.post('/', () => 'read')
    const digits = (count: number): string => '9'.repeat(count)
    const tooLarge = '400 ALC_ERR_CTP_NUMBER_TOO_LARGE'
    const cases: [text: string, answer: string][] = [
      ['1e400', tooLarge],
      [`["${'a'.repeat(3000)}",{"b":[-1e400]}]`, tooLarge],
      [`["${'a'.repeat(3000)}",{"b":[-1e300]}]`, 'read'],
      ['-1e400', tooLarge],
      ['[1,null,1e400,1]', tooLarge],
      ['[null,1e308]', 'read'],
      ['{"a":[{"b":1E+999}]}', tooLarge],
      [digits(310), tooLarge],
      [`[${digits(309)}]`, tooLarge],
      [`[1,${digits(209)}e99,1]`, 'read'],
      [`${digits(210)}e99`, tooLarge],
      [`${' '.repeat(103)}${digits(210)}e99`, tooLarge],
      [`${' '.repeat(104)}${digits(210)}e99${' '.repeat(50)}`, tooLarge],
      [`${' '.repeat(150)}${digits(310)}`, tooLarge],
      [digits(308), 'read'],
      ['1e308', 'read'],
      ['1e-999', 'read'],
      ['"1e400"', 'read'],
      ['null', 'read'],
      [`"${digits(400)}"`, 'read'],
    ]
    for (const [text, answer] of cases) assert.equal(await send(server, 'application/json', text), answer, text)
    await server.close()
  })

  test('is returned by getDefaultJsonParser, parses bytes too, and refuses an empty body', () => {
    const parse: any = createServer().getDefaultJsonParser('error', 'ignore')
    const call = (body: unknown): unknown[] => {
      let given: unknown[] = []
      parse({}, body, (...values: unknown[]) => (given = values))
      return given
    }
    assert.deepEqual(call(Buffer.from('{"a":1}')), [null, { a: 1 }])
    assert.deepEqual(call('{"constructor":{"prototype":1}}'), [null, { constructor: { prototype: 1 } }])
    for (const [body, code] of [
      ['', 'ALC_ERR_CTP_EMPTY_JSON_BODY'],
      [Buffer.alloc(0), 'ALC_ERR_CTP_EMPTY_JSON_BODY'],
      [null, 'ALC_ERR_CTP_EMPTY_JSON_BODY'],
      [undefined, 'ALC_ERR_CTP_EMPTY_JSON_BODY'],
    ] as const) {
      assert.equal((call(body)[0] as any).code, code)
    }
    const [failure] = call('{"__proto__":1}') as any[]
    assert.deepEqual([failure.statusCode, failure.name], [400, 'SyntaxError'])
  })

  test('refuses poisoned bodies, removes the poisoned keys or accepts them, as the options say', async () => {
    const bodies = ['{"__proto__":{"a":1},"b":2}', '{"constructor":{"prototype":{"a":1}},"b":2}']
    for (const [action, expected] of Object.entries({ error: [400, 400], remove: ['b', 'b'], ignore: ['__proto__,b', 'constructor,b'] })) {
      const server = createServer({ onProtoPoisoning: action as any, onConstructorPoisoning: action as any })
      server.post('/', ({ body }: any) => Object.keys(body).join())
      const answers = await Promise.all(
        bodies.map((payload) => server.inject({ method: 'POST', url: '/', payload, headers: { 'content-type': 'application/json' } })),
      )
      assert.deepEqual(
        answers.map(({ statusCode, body }) => (statusCode === 200 ? body : statusCode)),
        expected,
        action,
      )
      await server.close()
    }
  })

  test('reads every text as secure-json-parse does', () => {
    const keys = ['__proto__', '__proto', 'constructor', 'prototype', 'author', 'conductor', 'a\u005c"b']
    const { object } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, fc.constantFrom(1, null, '__proto__', 'constructor'), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 3 }),
      object: fc.array(fc.tuple(fc.constantFrom(...keys), tie('value')), { maxLength: 3 }).map((entries) => new Map(entries)),
    }))
    /** With some letters of keys and texts as escapes. */
    const write = (given: unknown, escapes: boolean): string => {
      const text = (plain: string): string =>
        escapes
          ? JSON.stringify(plain).replace(/[_or]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16).toUpperCase()}`)
          : JSON.stringify(plain)
      if (typeof given === 'string') return text(given)
      if (Array.isArray(given)) return `[${given.map((item) => write(item, escapes)).join()}]`
      if (given instanceof Map) return `{${[...given].map(([key, item]) => `${text(key)} : ${write(item, escapes)}`).join()}}`
      return JSON.stringify(given)
    }
    const actions = fc.constantFrom('error', 'remove', 'ignore')
    let poisoned = 0
    const isSame = (given: unknown, escapes: boolean, mark: string, protoAction: any, constructorAction: any): void => {
      const text = mark + write(given, escapes)
      const parse: any = createServer().getDefaultJsonParser(protoAction, constructorAction)
      let ours: unknown
      parse({}, text, (error: unknown, read: unknown) => (ours = error ? 'refused' : read))
      let theirs: unknown
      try {
        theirs = secureJson.parse(text, undefined, { protoAction, constructorAction })
      } catch {
        theirs = 'refused'
        poisoned++
      }
      assert.deepEqual(ours, theirs, text)
    }
    fc.assert(fc.property(object, fc.boolean(), fc.constantFrom('', '\u{FEFF}'), actions, actions, isSame), { numRuns: 2000 })
    assert.ok(poisoned > 100, String(poisoned))
  })
})
