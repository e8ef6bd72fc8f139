/**
 * Lists of files in forms. A parser gives one file of a name as the file itself, and several as a list. If the schema wants a list, ajv makes
 * one of a single text, but not of bytes.
 */
import { isObject } from '../util/objects.js'
import { type ReferenceTarget, resolveReference } from './json-schema/references.js'
import { isOfBytes } from './json-schema/schema-keys.js'

type Schema = any

/** The most references that are followed, one after another. */
const MAX_REFERENCES = 10

/**
 * Returns a function that puts a single file of a body into a list, for each property that its schema describes as a list of bytes;
 * `undefined` if there is no such property.
 * @param schema the schema of the body, whose references are in their canonical form
 * @param shared the shared schemas that a reference may lead to
 */
export function listFiles(schema: Schema, shared: Record<string, Schema>): ((request: { body: unknown }) => void) | undefined {
  const follow = (at: Schema, document: Schema): ReferenceTarget => {
    let found: ReferenceTarget | undefined = { schema: at, document }
    for (let count = 0; count < MAX_REFERENCES && typeof found?.schema?.$ref === 'string'; count++)
      found = resolveReference(found.schema.$ref, found.document, shared)
    return found ?? { schema: undefined, document }
  }
  const body = follow(schema, schema)
  const properties: Schema = body.schema?.properties
  if (!isObject(properties)) return undefined
  const names = Object.keys(properties).filter((name) => {
    const list = follow(properties[name], body.document)
    return list.schema?.type === 'array' && isOfBytes(follow(list.schema.items, list.document).schema)
  })
  return names.length === 0 ? undefined : (request) => isObject(request.body) && names.forEach((name) => listFile(request.body, name))
}

function listFile(body: any, name: string): void {
  if (Object.hasOwn(body, name) && ArrayBuffer.isView(body[name])) body[name] = [body[name]]
}
