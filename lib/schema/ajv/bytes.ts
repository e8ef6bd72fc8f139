/**
 * Bytes in requests. JSON Schema has no type for bytes; a text of the format `binary` describes them, and this file lets such a schema
 * accept bytes too: a body that a parser reads with `parseAs: 'buffer'`, or a file in a form.
 */
import type { Ajv as AjvInstance } from 'ajv'
import * as ajvModule from 'ajv'
import { isObject } from '../../util/objects.js'
import { isOfBytes } from '../json-schema/schema-keys.js'
import { mapSchemas } from '../json-schema/vocabulary.js'

const { _, str } = ajvModule

const keyword = 'alcove-bytes'

/** The keywords of a schema of bytes that restrict texts. Of these, the limits of the length hold for bytes too. */
const textKeywords = new Set(['type', 'format', 'nullable', 'minLength', 'maxLength', 'pattern'])

/**
 * Returns a schema in which each subschema that describes bytes has its keywords for texts moved into the keyword `alcove-bytes`; the same
 * object if there is no such subschema.
 */
export function withBytes(schema: any): any {
  if (!isObject(schema)) return schema
  const result = mapSchemas(schema, withBytes)
  return isOfBytes(schema) ? wrap(result) : result
}

function wrap(schema: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(schema)
  const ofText = entries.filter(([key]) => textKeywords.has(key))
  const others = entries.filter(([key]) => !textKeywords.has(key))
  return Object.fromEntries([...others, [keyword, Object.fromEntries(ofText)]])
}

/**
 * Adds the keyword `alcove-bytes` to ajv, which {@link withBytes} writes. The value of the keyword is the schema for a value that is not
 * bytes, such as a text.
 */
export function addBytes(jsv: AjvInstance): void {
  jsv.addKeyword({
    keyword,
    schemaType: 'object',
    error: {
      message: ({ params: { comparison, limit } }) => str`must NOT have ${comparison} than ${limit} bytes`,
      params: ({ params: { limit } }) => _`{limit: ${limit}}`,
    },
    code(context) {
      const { gen, data, schema } = context
      const valid = gen.let('valid', true)
      gen.if(
        _`ArrayBuffer.isView(${data})`,
        () => {
          for (const [name, comparison] of [
            ['minLength', 'fewer'],
            ['maxLength', 'more'],
          ] as const) {
            const limit: unknown = schema[name]
            if (typeof limit !== 'number') continue
            gen.if(name === 'minLength' ? _`${data}.byteLength < ${limit}` : _`${data}.byteLength > ${limit}`, () => {
              context.setParams({ comparison, limit })
              context.error()
              gen.assign(valid, false)
            })
          }
        },
        () => {
          const isValid = gen.name('_valid')
          context.subschema({ keyword }, isValid)
          gen.assign(valid, isValid)
        },
      )
      context.ok(valid)
    },
  })
}
