/** Moves error responses that several operations have to `components.responses`, where each is written once. */
import { componentOf } from './component-references.js'
import type { OpenApiOperation, OpenApiReference, OpenApiResponse, OpenApiSchema } from './document-types.js'
import { statusDescription } from './messages.js'

type Responses = Readonly<Record<string, OpenApiResponse>>

export interface SharedResponses {
  readonly responses: Responses
  /** The operations in their order, with references to the shared responses. */
  readonly operations: readonly OpenApiOperation[]
}

export function shareResponses(operations: readonly OpenApiOperation[]): SharedResponses {
  const found = new Map<string, { readonly response: OpenApiResponse; readonly name: string; count: number }>()
  for (const { responses } of operations)
    for (const [status, response] of Object.entries(responses)) {
      const name = nameFor(status, response)
      if (name === undefined) continue
      const known = found.get(responseKey(status, response))
      if (known === undefined) found.set(responseKey(status, response), { response: response as OpenApiResponse, name, count: 1 })
      else known.count++
    }
  const shared: Record<string, OpenApiResponse> = {}
  const names = new Map<string, string>()
  for (const [key, { response, name, count }] of found) {
    if (count === 1) continue
    let free = name
    for (let number = 2; Object.hasOwn(shared, free); number++) free = `${name}${number}`
    shared[free] = response
    names.set(key, free)
  }
  const refer = ([status, response]: [string, OpenApiResponse | OpenApiReference]): [string, OpenApiResponse | OpenApiReference] => {
    const name = names.get(responseKey(status, response))
    return [status, name === undefined ? response : { $ref: `#/components/responses/${name}` }]
  }
  return {
    responses: shared,
    operations: operations.map((operation) => ({
      ...operation,
      responses: Object.fromEntries(Object.entries(operation.responses).map(refer)),
    })),
  }
}

function responseKey(status: string, response: object): string {
  return `${status} ${JSON.stringify(response)}`
}

/**
 * Returns the name of an error response: `NotFound`, `NotFoundProblem`, or `NotFoundNoSuchUser` for the schema `NoSuchUser`. The name
 * depends only on the response, so that it stays the same if routes are added. Returns `undefined` for a response that is not an error, or
 * whose schema has no name.
 */
function nameFor(status: string, response: OpenApiResponse | OpenApiReference): string | undefined {
  if (!/^[45]|^default$/.test(status) || '$ref' in response) return undefined
  const { content = {} } = response
  const schemas = Object.values(content).flatMap(({ schema }) => componentNames(schema))
  if (schemas.length === 0 || schemas.includes(undefined)) return undefined
  const own = statusDescription(status).replaceAll(/\W+/g, '')
  // Readers expect an error in a format of the framework: the default format need not be in the name.
  const named = [...new Set(schemas)].map((name) => (name === 'ProblemDetails' ? 'Problem' : name))
  return own + named.filter((name) => name !== 'AlcoveError' && name !== own).join('')
}

/**
 * Returns the names of the components that a schema refers to, by itself or in its alternatives; `undefined` for an alternative that is
 * more than a reference.
 */
function componentNames(schema: OpenApiSchema | undefined): (string | undefined)[] {
  if (typeof schema !== 'object') return [undefined]
  const { $ref, anyOf, ...others } = schema
  if (Object.keys(others).length > 0) return [undefined]
  if (typeof $ref === 'string') return [componentOf($ref)]
  return Array.isArray(anyOf) ? anyOf.flatMap(componentNames) : [undefined]
}
