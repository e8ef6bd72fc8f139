/** Values for schemas: ones that are meant to fit, and changes that are meant to hurt. */

export const hostileNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  '',
  ' ',
  '0',
  'a.b',
  '$ref',
  'é',
  '\u0000',
  '\ud800',
]
const letters = ['a', 'b', 'Z', '0', ' ', '-', '_', '.', '/', '"', '\\', '\n', 'é', 'ß', '漢', '😀', '\u2028', '%', '&', '=', '+', '<', "'"]
const formats = {
  date: ['2024-02-29', '1999-12-31', '2000-01-01'],
  uuid: ['123e4567-e89b-42d3-a456-426614174000', 'AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE'],
  ipv4: ['127.0.0.1', '255.255.255.255', '0.0.0.0'],
  email: ['a@b.co', 'first.last@example.org'],
  'date-time': ['2024-02-29T12:34:56Z', '1999-12-31T23:59:59.999+02:00'],
}
const patterns = { '^[a-z]+$': ['a', 'abc', 'zzz'], '^\\d+$': ['0', '42', '007'], '^[A-Z]{2}-\\d+$': ['AB-1', 'ZZ-99'] }

export function text(random, least = 0, most = 8) {
  return random.list(least, Math.max(least, most), () => random.pick(letters)).join('')
}

/** A value that most likely fits a schema. */
export function fitting(schema, random, shared, depth = 0) {
  if (schema === true || schema === undefined) return random.pick([null, 1, 'x', true, [], {}, [1], { a: 1 }])
  if (schema.$ref !== undefined) return fitting(shared[schema.$ref], random, shared, depth + 1)
  if ('const' in schema) return schema.const
  if (schema.enum !== undefined) return random.pick(schema.enum)
  const alternatives = schema.oneOf ?? schema.anyOf
  if (alternatives !== undefined) {
    const { oneOf: _1, anyOf: _2, ...rest } = schema
    const chosen = random.pick(alternatives)
    return fitting(mergeSchemas(rest, chosen), random, shared, depth)
  }
  if (schema.allOf !== undefined) {
    const { allOf, ...rest } = schema
    return fitting(allOf.reduce(mergeSchemas, rest), random, shared, depth)
  }
  if (schema.nullable === true && random.chance(0.2)) return null
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
  switch (type) {
    case 'string': {
      if (schema.format !== undefined) return random.pick(formats[schema.format])
      if (schema.pattern !== undefined) return random.pick(patterns[schema.pattern])
      return text(random, schema.minLength ?? 0, schema.maxLength ?? 8)
    }
    case 'integer':
    case 'number': {
      const least = schema.minimum ?? -1000
      const most = schema.maximum ?? Math.max(1000, least)
      if (schema.multipleOf !== undefined)
        return Number(
          (schema.multipleOf * random.int(Math.ceil(least / schema.multipleOf), Math.floor(most / schema.multipleOf))).toFixed(6),
        )
      if (type === 'integer')
        return random.chance(0.1) && schema.maximum === undefined ? random.pick([1e15, 9007199254740991, 1e21]) : random.int(least, most)
      return random.chance(0.5) ? random.int(least, most) : Number((least + random.next() * (most - least)).toFixed(random.int(0, 12)))
    }
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    case 'array': {
      if (depth > 4 && schema.minItems === undefined) return []
      const list = random.list(schema.minItems ?? 0, schema.maxItems ?? 3, () => fitting(schema.items, random, shared, depth + 1))
      if (schema.uniqueItems !== true) return list
      return list.filter((entry, index) => list.findIndex((other) => JSON.stringify(other) === JSON.stringify(entry)) === index)
    }
    default:
      return fittingObject(schema, random, shared, depth)
  }
}

function fittingObject(schema, random, shared, depth) {
  const value = {}
  const required = schema.required ?? []
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (required.includes(name) || (depth < 4 && random.chance(0.6))) put(value, name, fitting(property, random, shared, depth + 1))
  }
  for (const name of required) if (!Object.hasOwn(value, name)) put(value, name, random.pick([1, 'x']))
  for (const [pattern, property] of Object.entries(schema.patternProperties ?? {})) {
    if (random.chance(0.5))
      put(value, pattern.replaceAll(/[\^$]/g, '') + random.pick(['', 'x', '1']), fitting(property, random, shared, depth + 1))
  }
  const isOpen = schema.additionalProperties !== false
  const wanted = Math.max(schema.minProperties ?? 0, isOpen && random.chance(0.3) ? Object.keys(value).length + 1 : 0)
  for (let tries = isOpen ? 20 : 0; tries > 0 && Object.keys(value).length < wanted; tries--) {
    const name = random.pick(['extra', 'more', 'x', 'y', 'z', 'constructor', 'toString', 'é'])
    if (!Object.hasOwn(value, name)) put(value, name, fitting(schema.additionalProperties, random, shared, depth + 1))
  }
  return value
}

function put(object, name, value) {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

function mergeSchemas(a, b) {
  return {
    ...a,
    ...b,
    ...((a.properties || b.properties) && { properties: { ...a.properties, ...b.properties } }),
    ...((a.required || b.required) && { required: [...(a.required ?? []), ...(b.required ?? [])] }),
  }
}

const odd = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  '0',
  '1',
  '-1',
  '1.5',
  'true',
  'null',
  'Infinity',
  '-Infinity',
  'NaN',
  '1e400',
  '0x10',
  '1e3',
  [],
  {},
  [1],
  ['1'],
  [[1]],
  [{}],
  '\ud800',
  '\u0000',
]

/** A copy of a value with something in it changed. */
export function changed(value, random) {
  if (random.chance(0.25))
    return random.chance(0.3) ? [value] : typeof value === 'number' || typeof value === 'boolean' ? String(value) : random.pick(odd)
  if (Array.isArray(value)) {
    const copy = [...value]
    if (copy.length === 0 || random.chance(0.3)) copy.push(random.pick(odd))
    else if (random.chance(0.4)) copy.push(...copy)
    else {
      const at = random.int(0, copy.length - 1)
      copy[at] = changed(copy[at], random)
    }
    return copy
  }
  if (value === null || typeof value !== 'object') return random.pick(odd)
  const copy = { ...value }
  const names = Object.keys(copy)
  if (names.length === 0 || random.chance(0.25)) put(copy, random.pick(hostileNames.concat(['extra', 'a'])), random.pick(odd))
  else if (random.chance(0.35)) delete copy[random.pick(names)]
  else {
    const name = random.pick(names)
    put(copy, name, changed(copy[name], random))
  }
  return copy
}

/** JSON that is written otherwise than others write it, or is none. */
export function distorted(json, random) {
  const at = random.int(0, json.length)
  switch (random.int(0, 15)) {
    case 0:
      return `\ufeff${json}`
    case 1:
      return json.slice(0, at)
    case 2:
      return (
        json.slice(0, at) +
        random.pick(['"', '{', '}', '[', ']', ',', ':', '\\', '\0', '\u00a0', '/**/', 'NaN', '1e400', '-', '+1', '.5', '01']) +
        json.slice(at)
      )
    case 3:
      return json.replace('{', '{"__proto__":{"polluted":1},')
    case 4:
      return json.replace('{', '{"\\u005f\\u005fproto__":{"polluted":1},')
    case 5:
      return json.replace('{', '{"constructor":{"prototype":{"polluted":1}},')
    case 6:
      return '['.repeat(random.pick([10, 1000, 1001, 20_000])) + json
    case 7: {
      const depth = random.pick([10, 999, 1001, 5000])
      return `${'{"a":'.repeat(depth)}${json}${'}'.repeat(depth)}`
    }
    case 8:
      return json.replace(/\d+/, random.pick(['1e400', '-1e400', '1e308', '9'.repeat(400), '0.1e-400', '1E+2', '-0', '00', '1.']))
    case 9:
      return json.replace(/"([^"\\]+)":/, (key) => `${key}null,${key}`)
    case 10:
      return `${' \t\r\n'.repeat(random.int(1, 50))}${json}${'\n'.repeat(random.int(0, 5))}`
    case 11:
      return Buffer.concat([
        Buffer.from(json.slice(0, at)),
        Buffer.from(random.pick([[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2]])),
        Buffer.from(json.slice(at)),
      ])
    case 12:
      return Buffer.from(json, 'utf16le')
    case 13:
      return random.pick(['', ' ', 'null', 'true', '0', '""', '[]', '{}', 'undefined', '{"a":1}{"a":1}', '\0'])
    case 14:
      return json.replaceAll(/"/g, "'")
    default:
      return `${json}${random.pick(['x', '\0', ',', '\ud800', ';', '//'])}`
  }
}
