/**
 * Header schemas. Header names are case-insensitive (RFC 9110 §5.1) and Node hands them over in lower case. A header schema is therefore
 * rewritten: every header name in it becomes lower case, in `properties`, `patternProperties`, `required`, `dependencies` and
 * `propertyNames`, also in nested `allOf`, `if`, … and behind references.
 */
import { makeReferencesAbsolute, mapEntries, resolveReference, splitReference } from './json-schema/references.js'

type Schema = any

/** Keywords that reject no value. */
const annotationKeywords = new Set(['$id', '$comment', '$schema', 'title', 'description', 'default', 'examples', 'definitions', '$defs'])

/** Levels of schemas and references that are rewritten. References may form a circle, in which no validation would end. */
const MAX_REWRITE_DEPTH = 32

/** The values that a schema applies to: the object of all headers, or the name of one. */
type Subject = 'headers' | 'name'

/**
 * Returns a copy of the schema with header names in lower case.
 * @param shared the shared schemas that references may lead to, by `$id`
 * @param refuse called with the reason if a part of the schema cannot be rewritten. Validators would not find the headers that it names.
 */
export function lowerCaseHeaderSchema(root: Schema, shared: Record<string, Schema>, refuse: (reason: string) => void): Schema {
  const lowered = lower(root, root, 'headers', 0)
  return followNames(lowered, lowered, root?.$id)

  function lower(schema: Schema, document: Schema, subject: Subject, depth: number): Schema {
    if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return schema
    if (depth > MAX_REWRITE_DEPTH) {
      refuse(`the schema has more than ${MAX_REWRITE_DEPTH} levels, or its references form a circle`)
      return schema
    }
    if (typeof schema.$ref === 'string') {
      const target = resolveReference(schema.$ref, document, shared)
      if (target === undefined) {
        refuse(`the reference '${schema.$ref}' leads to no shared schema, so header names behind it could not be found in lower case`)
        return schema
      }
      const { $id: _id, definitions: _definitions, $defs: _defs, ...lowered } = lower(target.schema, target.document, subject, depth + 1)
      // References inside the inlined schema are relative to the document that it was taken from.
      const inlined = target.document === document ? lowered : makeReferencesAbsolute(lowered, target.document)
      const { $ref: _, ...beside } = schema
      if (Object.keys(beside).every((key) => annotationKeywords.has(key))) return { ...beside, ...inlined }
      const own = lower(beside, document, subject, depth + 1)
      return { ...own, allOf: [...(own.allOf ?? []), inlined] }
    }
    const lowerPart = (part: Schema, of: Subject = subject): Schema => lower(part, document, of, depth + 1)
    const result: Schema = {
      ...schema,
      ...(subject === 'name' ? lowerNameKeywords(schema, refuse) : lowerHeaderKeywords(schema, lowerPart, refuse)),
    }
    for (const key of ['allOf', 'anyOf', 'oneOf']) {
      if (Array.isArray(schema[key])) result[key] = schema[key].map((entry: Schema) => lowerPart(entry))
    }
    for (const key of ['if', 'then', 'else', 'not']) {
      if (key in schema) result[key] = lowerPart(schema[key])
    }
    return result
  }
}

/** Lets the pointers in a schema, which name headers as the application wrote them, lead to the same places in lower case. */
function followNames(schema: Schema, root: Schema, id: unknown): Schema {
  if (!isContainer(schema)) return schema
  return mapEntries(schema as Record<string, Schema>, (key, value) => {
    if (key !== '$ref' || typeof value !== 'string') return followNames(value, root, id)
    const target = splitReference(value)
    return target.id === '' || target.id === id ? `${target.id}#${lowerPointer(target.fragment, root)}` : value
  })
}

/** Lowers the steps of a pointer that do not exist in a schema otherwise. */
function lowerPointer(pointer: string, root: Schema): string {
  let at = root
  const steps = pointer.split('/').map((step, index) => {
    if (index === 0) return step
    const found = [step, step.toLowerCase(), lowerLetters(step)].find((name) => isContainer(at) && Object.hasOwn(at, name)) ?? step
    at = at?.[found]
    return found
  })
  return steps.join('/')
}

function lowerHeaderKeywords(schema: Schema, lowerPart: (part: Schema, of?: Subject) => Schema, refuse: (reason: string) => void): Schema {
  const result: Schema = {}
  if (Array.isArray(schema.required)) result.required = schema.required.map(lowerName)
  for (const key of ['properties', 'dependencies', 'dependentRequired', 'dependentSchemas']) {
    if (isObject(schema[key])) result[key] = mapNames(schema[key], (value) => lowerNamedValue(key, value))
  }
  if (isObject(schema.patternProperties)) {
    result.patternProperties = Object.fromEntries(
      Object.entries(schema.patternProperties).map(([p, value]) => [lowerPattern(p, refuse), value]),
    )
  }
  if (isObject(schema.propertyNames)) result.propertyNames = lowerPart(schema.propertyNames, 'name')
  return result

  function lowerNamedValue(key: string, value: Schema): Schema {
    if (key === 'properties') return value
    return Array.isArray(value) ? value.map(lowerName) : lowerPart(value)
  }
}

function lowerNameKeywords(schema: Schema, refuse: (reason: string) => void): Schema {
  return {
    ...(Array.isArray(schema.enum) && { enum: schema.enum.map(lowerName) }),
    ...('const' in schema && { const: lowerName(schema.const) }),
    ...(typeof schema.pattern === 'string' && { pattern: lowerPattern(schema.pattern, refuse) }),
  }
}

function lowerName(name: unknown): unknown {
  return typeof name === 'string' ? name.toLowerCase() : name
}

/** Lowers the letters that a pattern matches literally, also those written by code (`\x41`). Escapes such as `\D` and names of groups stay. */
function lowerPattern(pattern: string, refuse: (reason: string) => void): string {
  const lost = characterSets(pattern).find((part) => isLost(part, lowerLetters(part)))
  if (lost !== undefined) refuse(`the pattern '${pattern}' cannot be applied to header names because of '${lost}': names are in lower case`)
  return lowerLetters(pattern)
}

/** The classes and properties of characters in a pattern: `[^A-Z]`, `\P{Ll}`. */
function characterSets(pattern: string): string[] {
  return pattern.match(/\\[pP]\{[^}]*\}|\\[^]|\[(?:\\[^]|[^\]\\])*\]/g)?.filter((part) => /^\[|^\\[pP]/.test(part)) ?? []
}

const letters = Array.from('abcdefghijklmnopqrstuvwxyz')

/** Whether a set of characters matched letters, and no longer matches one of them in lower case: `[^A-Z]`, `\p{Lu}`. */
function isLost(set: string, lowered: string): boolean {
  const [before, after] = [toRegExp(set), toRegExp(lowered)]
  if (before === undefined || after === undefined) return false
  // A negated class that lists lower case, as in `[^a-z]`, has taken the case of names into account.
  const isNegated = set.startsWith('[^')
  return letters.some((letter) => before.test(isNegated ? letter : letter.toUpperCase()) && !after.test(letter))
}

/** `undefined` for a pattern that the engine will refuse. */
function toRegExp(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u')
  } catch {
    return undefined
  }
}

function lowerLetters(pattern: string): string {
  return pattern.replace(
    /\\(?:[pP]\{[^}]*\}|k<[^>]*>|c[a-zA-Z]|x[\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|[^])|\(\?<[^=!][^>]*>|[A-Z]+/g,
    (part) => {
      if (/^[A-Z]/.test(part)) return part.toLowerCase()
      const code = /^\\[xu]\{?0*([45][\da-f])\}?$/i.exec(part)?.[1]
      const letter = code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16))
      return /^[A-Z]$/.test(letter) ? letter.toLowerCase() : part
    },
  )
}

function mapNames(object: Record<string, Schema>, map: (value: Schema) => Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name.toLowerCase(), map(value)]))
}

function isContainer(value: unknown): value is object {
  return value !== null && typeof value === 'object'
}

function isObject(value: unknown): value is Record<string, Schema> {
  return isContainer(value) && !Array.isArray(value)
}
