/**
 * Lists of files in forms. A form with one file has the file itself, where a form with several has a list. ajv makes a list of a single text
 * if the schema says so, but not of bytes.
 */
import { isObject } from '../util/objects.js'
import { isOfBytes } from './json-schema/schema-keys.js'

type Follow = (schema: { readonly $ref: string }) => unknown

/** The most references that are followed, one after another. */
const MAX_REFERENCES = 10

/**
 * Returns a function that puts a single file of a body into a list, for each property that its schema describes as a list of bytes;
 * `undefined` if there is no such property.
 * @param follow returns the shared schema of a reference
 */
export function listFiles(schema: unknown, follow: Follow): ((request: { body: unknown }) => void) | undefined {
  const { properties } = (resolve(schema, follow) ?? {}) as { properties?: unknown }
  if (!isObject(properties)) return undefined
  const names = Object.keys(properties).filter((name) => {
    const { type, items } = (resolve(properties[name], follow) ?? {}) as { type?: unknown; items?: unknown }
    return type === 'array' && isOfBytes(resolve(items, follow))
  })
  return names.length === 0 ? undefined : ({ body }) => isObject(body) && names.forEach((name) => listFile(body, name))
}

function listFile(body: Record<string, unknown>, name: string): void {
  if (Object.hasOwn(body, name) && ArrayBuffer.isView(body[name])) body[name] = [body[name]]
}

function resolve(schema: unknown, follow: Follow): unknown {
  let found = schema
  for (let count = 0; count < MAX_REFERENCES && isObject(found) && typeof found['$ref'] === 'string'; count++)
    found = follow(found as { readonly $ref: string })
  return found
}
