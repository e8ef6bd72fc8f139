/**
 * Header schemas. Header names are case-insensitive (RFC 9110 §5.1) and Node hands them over in lower case. A header schema is therefore
 * rewritten: every header name in it becomes lower case, in `properties`, `required`, `dependencies` and `propertyNames`, also in nested
 * `allOf`, `if`, … and behind references. Patterns are not rewritten: a pattern with capital letters is refused.
 */
import { isContainer, isObject } from '../util/objects.js'
import { makeReferencesAbsolute, mapReferences, resolveReference, splitReference } from './json-schema/references.js'

type Schema = any

/** Keywords of JSON Schema that reject no value. */
const annotationKeywords = new Set(['$id', '$comment', '$schema', 'title', 'description', 'default', 'examples', 'definitions', '$defs'])

/** The most levels of schemas and references that are rewritten. References may form a circle, in which no validation would end. */
const MAX_REWRITE_DEPTH = 32

/** The values that a schema applies to: the object of all headers, or the name of a header. */
type Subject = 'headers' | 'name'

/**
 * Returns a copy of the schema with header names in lower case.
 * @param shared the shared schemas that references may lead to, by `$id`
 * @param refuse called with the reason if a part of the schema cannot be rewritten, because validators would not find the headers that this
 * part names
 */
export function lowerCaseHeaderSchema(root: Schema, shared: Record<string, Schema>, refuse: (reason: string) => void): Schema {
  return followNames(lower(root, root, 'headers', 0), root?.$id)

  function lower(schema: Schema, document: Schema, subject: Subject, depth: number): Schema {
    if (!isObject(schema)) return schema
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
    const lowerSubschema = (subschema: Schema, of: Subject = subject): Schema => lower(subschema, document, of, depth + 1)
    const result: Schema = {
      ...schema,
      ...(subject === 'name' ? lowerNameKeywords(schema, refuse) : lowerHeaderKeywords(schema, lowerSubschema, refuse)),
    }
    for (const key of ['allOf', 'anyOf', 'oneOf']) {
      if (Array.isArray(schema[key])) result[key] = schema[key].map((entry: Schema) => lowerSubschema(entry))
    }
    for (const key of ['if', 'then', 'else', 'not']) {
      if (key in schema) result[key] = lowerSubschema(schema[key])
    }
    return result
  }
}

/** Rewrites the references in a schema whose header names are now in lower case, so that the references still lead to the same places. */
function followNames(root: Schema, id: unknown): Schema {
  return mapReferences(root, (reference) => {
    const target = splitReference(reference)
    return target.id === '' || target.id === id ? `${target.id}#${lowerPointer(target.fragment, root)}` : reference
  })
}

/** Returns a JSON pointer in which a step is in lower case if the schema has the step only in lower case. */
function lowerPointer(pointer: string, root: Schema): string {
  let at = root
  const steps = pointer.split('/').map((step, index) => {
    if (index === 0) return step
    const found = [step, step.toLowerCase()].find((name) => isContainer(at) && Object.hasOwn(at, name)) ?? step
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
  for (const pattern of Object.keys(schema.patternProperties ?? {})) assertLowerCase(pattern, refuse)
  if (isObject(schema.propertyNames)) result.propertyNames = lowerPart(schema.propertyNames, 'name')
  return result

  function lowerNamedValue(key: string, value: Schema): Schema {
    if (key === 'properties') return value
    return Array.isArray(value) ? value.map(lowerName) : lowerPart(value)
  }
}

function lowerNameKeywords(schema: Schema, refuse: (reason: string) => void): Schema {
  if (typeof schema.pattern === 'string') assertLowerCase(schema.pattern, refuse)
  return {
    ...(Array.isArray(schema.enum) && { enum: schema.enum.map(lowerName) }),
    ...('const' in schema && { const: lowerName(schema.const) }),
  }
}

function lowerName(name: unknown): unknown {
  return typeof name === 'string' ? name.toLowerCase() : name
}

/**
 * Refuses a pattern that asks for letters in upper case, which no header name has: directly, by a property of characters (`\p{Lu}`), or by
 * a code (`\x41`). Escapes such as `\D` are allowed, because they mean the same in any case.
 */
function assertLowerCase(pattern: string, refuse: (reason: string) => void): void {
  if (/[A-Z]|\\[cpux]/.test(pattern.replaceAll(/\\[BDSW]/g, '')))
    refuse(
      `the pattern '${pattern}' has capital letters or codes of characters, but the names of headers are in lower case: write it in lower case`,
    )
}

function mapNames(object: Record<string, Schema>, map: (value: Schema) => Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name.toLowerCase(), map(value)]))
}
