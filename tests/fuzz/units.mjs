/**
 * The parts that read what clients send, each against a reading of its own. Inputs that reach code which no input reached
 * before are kept and changed further.
 */
import { Session } from 'node:inspector'
import { parseMediaType } from '../../dist/lib/http/media-type.js'
import { lowerCaseHeaderSchema } from '../../dist/lib/schema/header-names.js'
import { createJsonParser } from '../../dist/lib/context/json-parser.js'
import { BodyParsers } from '../../dist/lib/context/body-parsers.js'
import { parseBody } from '../../dist/lib/lifecycle/read-body.js'
import { FunctionWriter, Router } from '../../dist/lib/route/router.js'
import { findDuplicates } from '../../dist/lib/schema/ajv/equality.js'
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import { Random } from '../../dist/decorators/tools/values/random.js'
import { essence, fault, isValid } from './whole.mjs'
import { changed, distorted, text } from './values.mjs'

const parsers = BodyParsers.root(1_048_576, createJsonParser('error', 'error'))
const json = parsers.find('application/json')
const jsonRequest = { headers: { 'content-type': 'application/json' }, rawHeaders: ['content-type', 'application/json'] }

/** JSON as the framework reads it: its value, or the error. */
function readJson(bytes) {
  let end
  json.parse({}, bytes.toString(), (error, value) => (end = { error, value }))
  return end
}

const router = new Router(
  {
    constraints: undefined,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    maxParamLength: 100,
    caseSensitive: true,
    allowUnsafeRegex: false,
    useSemicolonDelimiter: false,
    querystringParser: undefined,
    describe: () => ({}),
    writer: new FunctionWriter(undefined, undefined),
    deadlines: undefined,
  },
  () => {},
  { onMissing: () => {}, onBadUrl: () => {}, onLongParameter: () => {} },
)
for (const url of ['/a/:x', '/a/:x/b/:y', '/m/:x-:y.:z', '/r/:n(^\\d+$)', '/w/*', '/static/path']) router.add('GET', url, {}, url)

const targets = {
  'media type': {
    start: ['application/json', 'a/b; c=d; e="f\\"g"', 'text/plain;charset=utf-8'],
    check(input) {
      const mine = essence(input)
      const theirs = parseMediaType(input)?.essence
      if (mine !== theirs) return `is ${theirs}, and by RFC 9110 ${mine}`
    },
  },
  url: {
    start: ['/a/1/b/2?x=1&y=2', '/m/a-b.c', '/r/12', '/w/x%2fy', '/static/path', '/%61/%2e'],
    check(input) {
      const path = input.split(/[?#]/, 1)[0]
      if (!path.startsWith('/')) return undefined
      const found = router.match('GET', input, undefined)
      if (found === null || found.store === null || found.store === undefined) return undefined
      const names = Object.values(found.params)
      if (names.some((value) => value !== undefined && typeof value !== 'string')) return 'has a parameter that is no text'
      if (found.store !== '/w/*' && names.some((value) => value?.length > 100)) return 'has a parameter that is too long'
      if (found.store === '/static/path' && decodeURIComponent(path) !== '/static/path') return 'is another path'
      if (found.store === '/r/:n(^\\d+$)' && !/^\d+$/.test(found.params.n)) return 'does not match the pattern'
      if (found.store === '/a/:x' && found.params.x !== decodeURIComponent(path).slice(3)) return `is read as ${found.params.x}`
      if (Object.hasOwn(found.searchParams ?? {}, '__proto__')) return 'has a __proto__ in its query'
      for (const value of Object.values(found.searchParams ?? {}).flat())
        if (typeof value !== 'string') return 'has a query that is no text'
    },
  },
  json: {
    start: ['{"a":[1,{"b":null}],"c":"\\u00e9"}', '[[[]]]', '{"constructor":1,"x":-1.5e3}'],
    distort: (input, random) => distorted(input, random).toString(),
    check(input) {
      const { error, value } = readJson(Buffer.from(input))
      let expected
      let isJson = true
      try {
        expected = JSON.parse(input.replace(/^\ufeff/, ''))
      } catch {
        isJson = false
      }
      if (error) return error.statusCode === 400 ? undefined : `ends with the status ${error.statusCode}`
      if (!isJson) return 'is no JSON'
      if (!isDeepStrictEqual(value, expected)) return 'is read as something else'
      const path = fault(value)
      if (path !== undefined) return `holds ${path}`
    },
  },
  'unique items': {
    start: ['[1,1]', '[{"a":1,"b":2},{"b":2,"a":1}]', '[{"toString":1},{"constructor":[]}]'],
    distort: (input, random) => {
      try {
        return JSON.stringify(changed(JSON.parse(input), random)) ?? 'null'
      } catch {
        return '[]'
      }
    },
    check(input) {
      const list = JSON.parse(input)
      if (!Array.isArray(list)) return undefined
      let hasTwo = false
      for (let i = 0; i < list.length && !hasTwo; i++)
        for (let j = 0; j < i; j++) if (isDeepStrictEqual(plus(list[i]), plus(list[j]))) hasTwo = true
      if ((findDuplicates(list) !== undefined) !== hasTwo) return hasTwo ? 'has two that are equal' : 'has no two that are equal'
    },
  },
  'header schema': {
    start: [
      '{"required":["X-A"],"properties":{"X-A":{"type":"string"}}}',
      '{"allOf":[{"if":{"required":["A"]},"then":{"dependencies":{"B":["C"]}}}]}',
      '{"patternProperties":{"^x-\\\\D[a-z]":{"type":"string","minLength":1}}}',
    ],
    distort: (input, random) => {
      const names = random.pick([
        ['A', 'b', 'X-C'],
        ['X-A', 'X-1B'],
      ])
      const schema = JSON.parse(input)
      const key = random.pick(['required', 'properties', 'dependencies', 'patternProperties', 'propertyNames', 'not', 'anyOf'])
      const value = {
        required: names,
        properties: { [random.pick(names)]: { type: 'string', maxLength: random.int(0, 3) } },
        dependencies: { [names[0]]: [names[1]] },
        patternProperties: { [random.pick(['^x-', '[a-z]\\d', '\\D-c$', '^\\S+$'])]: { type: 'string', minLength: random.int(0, 3) } },
        propertyNames: { pattern: random.pick(['^[a-z0-9-]+$', '^x']) },
        not: { required: [random.pick(names)] },
        anyOf: [{ required: [names[0]] }, schema],
      }[key]
      return JSON.stringify(random.chance(0.2) ? { [key]: value } : { ...schema, [key]: value }).slice(0, 3000)
    },
    check(input, random) {
      const schema = JSON.parse(input)
      const before = JSON.stringify(schema)
      const lowered = lowerCaseHeaderSchema(schema, {}, () => {})
      if (JSON.stringify(schema) !== before) return 'is changed itself'
      const again = lowerCaseHeaderSchema(lowered, {}, () => {})
      if (!isDeepStrictEqual(again, lowered)) return 'is another when lowered twice'
      // Spelt as in the schema it is the same question, as long as the schema spells each name one way.
      const headers = {}
      for (const name of ['A', 'b', 'X-C', 'X-A', 'X-1B']) if (random.chance(0.5)) headers[name] = text(random, 0, 3)
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
      if (/patternProperties|propertyNames|"x-a"|"B"/.test(input)) return undefined
      if (isValid(schema, headers) !== isValid(lowered, lower)) return `says another of ${JSON.stringify(headers)}`
    },
  },
}

function plus(value) {
  return JSON.parse(JSON.stringify(value).replaceAll('-0,', '0,'))
}

/** How many blocks of the framework and its readers have run so far. */
class Coverage {
  #session = new Session()
  #seen = new Set()

  constructor() {
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Whether something ran that had not run before. */
  grew() {
    let hasNew = false
    this.#session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
      for (const { url, functions } of result) {
        if (!/dist\/lib|secure-json-parse|find-my-way|fast-content-type-parse|fast-querystring/.test(url)) continue
        for (const { ranges } of functions) {
          for (const { startOffset, endOffset, count } of ranges) {
            const key = `${url}:${startOffset}:${endOffset}:${Math.min(count, 3)}`
            if (count > 0 && !this.#seen.has(key)) {
              this.#seen.add(key)
              hasNew = true
            }
          }
        }
      }
    })
    return hasNew
  }

  get size() {
    return this.#seen.size
  }

  stop() {
    this.#session.post('Profiler.stopPreciseCoverage')
    this.#session.disconnect()
  }
}

const pieces = [
  '/',
  ';',
  '=',
  '"',
  '\\',
  ' ',
  '\t',
  '%',
  '%2f',
  '%00',
  '&',
  '?',
  '#',
  '-',
  '.',
  ':',
  'a',
  '1',
  ',',
  '+',
  '\u00e9',
  '\0',
  '__proto__',
  '*',
  '(',
  '[',
  'x'.repeat(101),
]

function spliced(input, random) {
  const at = random.int(0, input.length)
  if (random.chance(0.3)) return input.slice(0, at) + input.slice(at + random.int(1, 3))
  return input.slice(0, at) + random.pick(pieces) + input.slice(at)
}

/** Changes inputs of each target `count` times. @throws a finding */
export async function fuzzUnits({ seed, count, note }) {
  for (const [name, { start, distort = spliced, check }] of Object.entries(targets)) {
    const random = new Random(seed)
    const corpus = [...start]
    const coverage = new Coverage()
    try {
      for (let index = 0; index < count; index++) {
        const input = distort(random.pick(corpus), random)
        if (input.length > 20_000) continue
        let problem
        try {
          problem = check(input, random)
        } catch (error) {
          problem = error.stack
        }
        if (problem !== undefined)
          throw Object.assign(new Error(`${name} ${JSON.stringify(input.slice(0, 2000))} ${problem}\n  seed ${seed}, input ${index}`), {
            isFinding: true,
          })
        // To look costs more than to try: one of fifty, and what is kept stays small.
        if (index % 50 === 0 && coverage.grew() && corpus.length < 500 && input.length < 500) corpus.push(input)
      }
      note(name, count)
      note(`${name}: blocks reached`, coverage.size)
    } finally {
      coverage.stop()
    }
  }
  await cutBodies(new Random(seed), Math.ceil(count / 20), note)
}

/** Bodies that come in pieces, cut anywhere: what is read is what was sent, or an error. */
async function cutBodies(random, count, note) {
  for (let index = 0; index < count; index++) {
    const bytes = Buffer.from(distorted(JSON.stringify({ a: text(random, 0, 20), b: [1, 2, { c: null }] }), random))
    const whole = readJson(bytes)
    const parts = []
    for (let at = 0; at < bytes.length;) {
      const size = random.int(1, 7)
      parts.push(bytes.subarray(at, at + size))
      at += size
      if (parts.length > 200) parts.push(bytes.subarray(at, (at = bytes.length)))
    }
    const stream = Readable.from(parts)
    const request = { raw: jsonRequest, headers: {} }
    const exchange = { request, payloadStream: stream, route: { body: { parsers, readings: {} }, runsBeforeBody: true } }
    const read = await new Promise((resolve) => parseBody(exchange, (error, value) => resolve({ error, value })))
    const isSame = read.error ? whole.error !== null || read.error.statusCode === 400 : isDeepStrictEqual(read.value, whole.value)
    if (!isSame)
      throw Object.assign(new Error(`a body read in pieces: ${JSON.stringify(bytes.toString().slice(0, 500))}`), { isFinding: true })
    note('bodies in pieces')
  }
}
