#!/usr/bin/env node
/**
 * Compares alcove with schema libraries on generated schemas and values. Exits with 1 at the first difference, which names its seed.
 *   npm run test:libraries -- [--seed 1] [--schemas 2000]
 */
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { z as z40 } from 'zod40'
import { additions, compareWithLibrary, toZod } from '../../dist/tests/fixtures/described-schemas.js'

const argument = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? fallback : Number(process.argv[at + 1])
}
const seed = argument('seed', 1)
const count = argument('schemas', 2000)

const definedBy = (action, limit) => (limit === undefined ? [] : [action(limit)])

function toValibot(description) {
  const { min, max, also } = description
  switch (description.kind) {
    case 'string': {
      const addition = {
        trim: [v.trim()],
        refine: [v.check(additions.text)],
        pattern: [v.regex(additions.pattern)],
        length: [v.transform((text) => text.length)],
        email: [v.email()],
      }
      return v.pipe(v.string(), ...definedBy(v.minLength, min), ...definedBy(v.maxLength, max), ...(addition[also] ?? []))
    }
    case 'number': {
      const isInteger = description.isInteger ? [v.integer()] : []
      const refined = also === 'refine' ? [v.check(additions.number)] : []
      const schema = v.pipe(v.number(), ...isInteger, ...definedBy(v.minValue, min), ...definedBy(v.ltValue, max), ...refined)
      return also === 'default' ? v.optional(schema, additions.default) : schema
    }
    case 'boolean':
      return v.boolean()
    case 'null':
      return v.null()
    case 'values':
      return v.union(description.values.map((value) => v.literal(value)))
    case 'nullable':
      return v.nullable(toValibot(description.of))
    case 'union':
      return v.union(description.of.map(toValibot))
    case 'array':
      return v.pipe(v.array(toValibot(description.of)), ...definedBy(v.minLength, min), ...definedBy(v.maxLength, max))
    case 'object': {
      const entries = Object.fromEntries(
        Object.entries(description.properties).map(([name, { isOptional, of }]) => [
          name,
          isOptional ? v.optional(toValibot(of)) : toValibot(of),
        ]),
      )
      const schema = { removed: v.object, kept: v.looseObject, refused: v.strictObject }[description.unknown](entries)
      return also === 'refine' ? v.pipe(schema, v.check(additions.object)) : schema
    }
  }
}

function toArkType(description) {
  const { min, max, also } = description
  switch (description.kind) {
    case 'string': {
      let schema = type(also === 'email' ? 'string.email' : 'string')
      if (min !== undefined) schema = schema.atLeastLength(min)
      if (max !== undefined) schema = schema.atMostLength(max)
      if (also === 'trim') return schema.pipe((text) => text.trim())
      if (also === 'pattern') return schema.and(additions.pattern)
      if (also === 'length') return schema.pipe((text) => text.length)
      return also === 'refine' ? schema.narrow(additions.text) : schema
    }
    case 'number': {
      let schema = type(description.isInteger ? 'number.integer' : 'number')
      if (min !== undefined) schema = schema.atLeast(min)
      if (max !== undefined) schema = schema.lessThan(max + 1)
      return also === 'refine' ? schema.narrow(additions.number) : schema
    }
    case 'boolean':
      return type('boolean')
    case 'null':
      return type('null')
    case 'values':
      return type.enumerated(...description.values)
    case 'nullable':
      return toArkType(description.of).or('null')
    case 'union': {
      const [first, second] = description.of.map(toArkType)
      try {
        return first.or(second)
      } catch {
        // ArkType refuses alternatives that transform the same values.
        return first
      }
    }
    case 'array': {
      let schema = toArkType(description.of).array()
      if (min !== undefined) schema = schema.atLeastLength(min)
      return max === undefined ? schema : schema.atMostLength(max)
    }
    case 'object': {
      // ArkType finds the `constructor` that every object inherits, and writes to it.
      const properties = Object.entries(description.properties).filter(([name]) => name !== 'constructor')
      const entries = properties.map(([name, { isOptional, of }]) => {
        const schema = toArkType(of)
        const isDefaulted = of.kind === 'number' && of.also === 'default' && !isOptional && schema.allows(additions.default)
        return isDefaulted ? [name, schema.default(additions.default)] : [isOptional ? `${name}?` : name, schema]
      })
      const unknown = { removed: 'delete', kept: 'ignore', refused: 'reject' }[description.unknown]
      const schema = type({ '+': unknown, ...Object.fromEntries(entries) })
      return also === 'refine' ? schema.narrow(additions.object) : schema
    }
  }
}

function isConvertible(schema) {
  try {
    return schema['~standard'].jsonSchema.input({ target: 'draft-07' }) !== undefined
  } catch {
    return false
  }
}

const libraries = {
  'Zod 4.6': { build: (description) => toZod(description, z) },
  'Zod 4.0': { build: (description) => toZod(description, z40) },
  Valibot: { build: toValibot, coerces: () => false },
  'Valibot with JSON Schema': { build: (description) => toStandardJsonSchema(toValibot(description)), coerces: isConvertible },
  ArkType: { build: toArkType, coerces: isConvertible },
}

for (const [name, { build, coerces }] of Object.entries(libraries)) {
  const start = performance.now()
  try {
    const { schemas, accepted, refused, byAjv } = await compareWithLibrary(build, { count, seed, coerces })
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(
      `${name}: ${schemas} schemas (${byAjv} by ajv alone), ${accepted} values accepted, ${refused} refused, as the library does; ${seconds} s`,
    )
  } catch (error) {
    console.error(`${name}: ${error.stack}`)
    process.exitCode = 1
  }
}
