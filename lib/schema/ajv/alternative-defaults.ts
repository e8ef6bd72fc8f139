/**
 * Finds defaults that ajv would fill in although another alternative matches. ajv refuses a default within `anyOf` or `oneOf`, but does not
 * see it behind a reference that it compiles to a function of its own. That function fills in the default before it finds out that its
 * alternative does not match, so that the other alternatives read a property that the client has not sent.
 */
import { resolveReference } from '../json-schema/references.js'
import { subschemas } from '../json-schema/vocabulary.js'
import { isObject } from '../../util/objects.js'

type Schema = any

/** The keywords whose schemas a value need not fit. */
const tried = ['anyOf', 'oneOf', 'not', 'if', 'contains', 'propertyNames']

/**
 * Finds a default behind a reference in an alternative. An alternative is passed over if no other one takes objects or lists: an object that
 * does not match it is refused anyway.
 * @param shared the shared schemas by `$id`, their references in canonical form
 * @returns the reference, and the name of the property with the default; `undefined` if there is none
 */
export function findAlternativeDefault(schema: Schema, shared: Record<string, Schema>): { reference: string; name: string } | undefined {
  const seen = [new Set<Schema>(), new Set<Schema>()] as const
  return visit(schema, schema, undefined)

  /** @param reference the outermost reference within an alternative; `''`: within an alternative without one */
  function visit(at: Schema, document: Schema, reference: string | undefined): ReturnType<typeof findAlternativeDefault> {
    const been = seen[reference ? 1 : 0]
    // The same schema may stand within an alternative and outside of it, so it is visited in both places.
    if (!isObject(at) || (reference !== '' && been.has(at))) return undefined
    been.add(at)
    if (reference) {
      const name = nameOfDefault(at)
      if (name !== undefined) return { reference, name }
    }
    if (typeof at['$ref'] === 'string') {
      const target = resolveReference(at['$ref'], document, shared)
      const found = target && visit(target.schema, target.document, reference === '' ? at['$ref'] : reference)
      if (found !== undefined) return found
    }
    const alternatives = tried.flatMap((keyword) => alternativesOf(at, keyword))
    for (const within of subschemas(at)) {
      const found = visit(within, document, reference ?? (alternatives.includes(within) ? '' : undefined))
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** Returns the schemas of a keyword that ajv tries, if a default in one of them can be seen after the schema has not matched. */
function alternativesOf(schema: Record<string, Schema>, keyword: string): Schema[] {
  const value = schema[keyword]
  if (!Array.isArray(value)) return [value]
  // With a discriminator ajv tries the one alternative that it names.
  return keyword === 'oneOf' && isObject(schema['discriminator']) ? [] : value.filter(takesContainers).length > 1 ? value : []
}

function takesContainers(schema: Schema): boolean {
  const type = isObject(schema) ? schema['type'] : undefined
  return type === undefined ? schema !== false : [type].flat().some((each) => each === 'object' || each === 'array')
}

function nameOfDefault({ properties, items }: Record<string, Schema>): string | undefined {
  const hasDefault = (schema: Schema): boolean => isObject(schema) && schema['default'] !== undefined
  if (isObject(properties)) return Object.keys(properties).find((name) => hasDefault(properties[name]))
  const index = Array.isArray(items) ? items.findIndex(hasDefault) : -1
  return index === -1 ? undefined : String(index)
}
