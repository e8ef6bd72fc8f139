/**
 * Writes the function `isServerError` of a client file, which recognizes errors in the application's format even if the route lists no such
 * status.
 */
import type { JsonSchema } from '../../../lib/index.js'
import { errorFormats } from '../../../lib/internal.js'
import type { DocumentContext } from '../openapi/document-context.js'
import { converterFor } from '../openapi/operations.js'
import type { NamedRoute } from './client-names.js'
import type { SchemaTypes } from './schema-types.js'
import { literal, union } from './type-texts.js'

/** Returns the code of the function `isServerError`; an empty text if no route replies with errors in a format of the framework. */
export function errorGuard(
  routes: readonly NamedRoute[],
  context: Pick<DocumentContext, 'components' | 'description'>,
  types: SchemaTypes,
): string {
  const found = Object.values(errorFormats).flatMap(({ schema }) => {
    const reference = referToError(schema.$id, routes, context)
    return reference === undefined ? [] : [{ type: types.typeOf(reference, 'received'), check: checkOf(schema) }]
  })
  if (found.length === 0) return ''
  return `/**
 * Whether a reply or a \`ReplyError\` is an error as the server writes it, whatever its status is. The page of a proxy is none, nor is a payload of
 * another form.
 */
export function isServerError<R extends { readonly status: number; readonly body: unknown }>(
  reply: R,
): reply is R & { readonly body: ${union(found.map(({ type }) => type))} } {
  const body: any = reply.body
  const areTexts = (...names: string[]): boolean => names.every((name) => typeof body[name] === 'string')
  return !!body && ${found.length === 1 ? found[0]!.check : `(${found.map(({ check }) => `(${check})`).join(' || ')})`}
}
`
}

/**
 * Returns a reference to the component of an error format; `undefined` if no route replies with this format. @param id the `$id` of the
 * format's schema
 */
function referToError(id: string, routes: readonly NamedRoute[], context: Pick<DocumentContext, 'components' | 'description'>): unknown {
  for (const { route } of routes)
    for (const { content, from } of Object.values(route.responses))
      for (const schema of Object.values(content))
        if (from.includes('alcove') && schemaId(schema) === id) return converterFor(route, '', context)(schema, 'response', 'Error')
  return undefined
}

function schemaId(schema: JsonSchema): unknown {
  return typeof schema === 'boolean' ? undefined : schema['$id']
}

function checkOf({ required, properties }: (typeof errorFormats)['default' | 'problem']['schema']): string {
  const types = Object.entries<{ readonly type?: string }>(properties)
  const status = types.find(([, { type }]) => type === 'integer')![0]
  const texts = types.flatMap(([name, { type }]) => (type === 'string' ? [name] : []))
  const certain = texts.filter((name) => (required as readonly string[]).includes(name))
  const others = texts.filter((name) => !certain.includes(name))
  const optional = others.map((name) => ` && (body.${name} === undefined || areTexts(${literal(name)}))`)
  return `body.${status} === reply.status && areTexts(${certain.map(literal).join(', ')})${optional.join('')}`
}
