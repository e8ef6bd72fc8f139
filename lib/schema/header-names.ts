/**
 * Header schemas. Header names are case-insensitive (RFC 9110 §5.1) and reach us in lower case, so the names in a schema
 * are brought to lower case wherever the schema speaks of headers: in `properties`, `patternProperties`, `required`,
 * `dependencies` and `propertyNames`, in nested `allOf`, `if`, … and behind references.
 */

type Schema = any

/** Keywords that demand nothing of a value. */
const annotations = new Set(['$id', '$comment', '$schema', 'title', 'description', 'default', 'examples', 'definitions', '$defs'])

/** How often references may lead into each other before the rest is left to the validator. */
const MAX_DEPTH = 32

/** What a schema speaks of: headers by their names, or a name itself. */
type Subject = 'headers' | 'name'

/** @param shared the shared schemas that references may lead to, by `$id` */
export function lowerCaseHeaderSchema(root: Schema, shared: Record<string, Schema>): Schema {
  return lower(root, root, 'headers', 0)

  function lower(schema: Schema, document: Schema, subject: Subject, depth: number): Schema {
    if (schema === null || typeof schema !== 'object' || Array.isArray(schema) || depth > MAX_DEPTH) return schema
    if (typeof schema.$ref === 'string') {
      const target = resolveReference(schema.$ref, document, shared)
      if (target === undefined) return schema
      const { $id: _id, definitions: _definitions, $defs: _defs, ...lowered } = lower(target.schema, target.document, subject, depth + 1)
      // What the inlined schema refers to in turn is looked up from its own document.
      const inlined = target.document === document ? lowered : absolute(lowered, target.document)
      const { $ref: _, ...beside } = schema
      if (Object.keys(beside).every((key) => annotations.has(key))) return { ...beside, ...inlined }
      const own = lower(beside, document, subject, depth + 1)
      return { ...own, allOf: [...(own.allOf ?? []), inlined] }
    }
    const inside = (part: Schema, of: Subject = subject): Schema => lower(part, document, of, depth + 1)
    const result: Schema = { ...schema, ...(subject === 'name' ? lowerNameKeywords(schema) : lowerHeaderKeywords(schema, inside)) }
    for (const key of ['allOf', 'anyOf', 'oneOf']) {
      if (Array.isArray(schema[key])) result[key] = schema[key].map((entry: Schema) => inside(entry))
    }
    for (const key of ['if', 'then', 'else', 'not']) {
      if (key in schema) result[key] = inside(schema[key])
    }
    return result
  }
}

function lowerHeaderKeywords(schema: Schema, inside: (part: Schema, of?: Subject) => Schema): Schema {
  const result: Schema = {}
  if (Array.isArray(schema.required)) result.required = schema.required.map(lowerName)
  for (const key of ['properties', 'dependencies', 'dependentRequired', 'dependentSchemas']) {
    if (isObject(schema[key])) result[key] = mapNames(schema[key], (value) => dependencyValue(key, value))
  }
  if (isObject(schema.patternProperties)) {
    result.patternProperties = Object.fromEntries(Object.entries(schema.patternProperties).map(([p, value]) => [lowerPattern(p), value]))
  }
  if (isObject(schema.propertyNames)) result.propertyNames = inside(schema.propertyNames, 'name')
  return result

  function dependencyValue(key: string, value: Schema): Schema {
    if (key === 'properties') return value
    return Array.isArray(value) ? value.map(lowerName) : inside(value)
  }
}

function lowerNameKeywords(schema: Schema): Schema {
  return {
    ...(Array.isArray(schema.enum) && { enum: schema.enum.map(lowerName) }),
    ...('const' in schema && { const: lowerName(schema.const) }),
    ...(typeof schema.pattern === 'string' && { pattern: lowerPattern(schema.pattern) }),
  }
}

function lowerName(name: unknown): unknown {
  return typeof name === 'string' ? name.toLowerCase() : name
}

/** A pattern in which letters that stand for themselves are lower case; what a backslash gives a meaning keeps it. */
function lowerPattern(pattern: string): string {
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

function isObject(value: unknown): value is Record<string, Schema> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** The schema that a reference leads to, and the document it stands in; `undefined` where it leads nowhere we know. */
function resolveReference(
  reference: string,
  document: Schema,
  shared: Record<string, Schema>,
): { schema: Schema; document: Schema } | undefined {
  const hash = reference.indexOf('#')
  const id = hash === -1 ? reference : reference.slice(0, hash)
  const fragment = hash === -1 ? '' : reference.slice(hash + 1)
  const target = id === '' || id === document.$id ? document : Object.hasOwn(shared, id) ? shared[id] : shared[`${id}#`]
  if (target === undefined) return undefined
  if (fragment === '') return { schema: target, document: target }
  const schema = fragment.startsWith('/') ? followPointer(target, fragment) : findById(target, `#${fragment}`)
  return schema === undefined ? undefined : { schema, document: target }
}

function followPointer(document: Schema, pointer: string): Schema {
  let at = document
  for (const step of pointer.slice(1).split('/')) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined
    at = at[key]
  }
  return at
}

function findById(schema: Schema, id: string): Schema {
  if (schema === null || typeof schema !== 'object') return undefined
  if (schema.$id === id) return schema
  for (const value of Object.values(schema)) {
    const found = findById(value, id)
    if (found !== undefined) return found
  }
  return undefined
}

// Local references of a schema that was taken out of its document get the document's id.
function absolute(schema: Schema, document: Schema): Schema {
  if (Array.isArray(schema)) return schema.map((entry) => absolute(entry, document))
  if (!isObject(schema)) return schema
  const result: Record<string, Schema> = {}
  for (const [key, value] of Object.entries(schema)) {
    result[key] =
      key === '$ref' && typeof value === 'string' && value.startsWith('#')
        ? String(document.$id).replace(/#$/, '') + value
        : absolute(value, document)
  }
  return result
}
