/** Reads the parameters in the path of a route, as the router (find-my-way) understands them. */

/**
 * The pattern of the tokens of a path: the regular expression of a parameter, an escaped colon (`::`), the name of a parameter, or a
 * wildcard.
 */
const pathToken = /\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|::|:[^/().-]+|[*]/g

/** A parameter in the path of a route. */
export interface PathParameter {
  /** The name of the parameter in `request.params`; `*` for a wildcard. */
  readonly name: string
  /** The source of the regular expression that the text of the parameter has to match. */
  readonly pattern?: string
  /** Whether the route also answers paths without the parameter, as in `/users/:id?`. */
  readonly isOptional: boolean
}

/** Splits a path at its parameters: `/users/:id` becomes the texts `/users/` and `''`, and between them the parameter `id`. */
export function splitPath(path: string): { readonly texts: readonly string[]; readonly parameters: readonly PathParameter[] } {
  const texts = ['']
  const parameters: PathParameter[] = []
  let at = 0
  const addText = (text: string): void => void texts.push(texts.pop()! + text)
  for (const { 0: token, index } of path.matchAll(pathToken)) {
    addText(path.slice(at, index))
    at = index + token.length
    if (token === '::') addText(':')
    else if (token.startsWith('(')) {
      const last = parameters.pop()
      if (last !== undefined) parameters.push({ ...last, pattern: token.slice(1, -1) })
    } else {
      parameters.push({ name: token === '*' ? '*' : token.slice(1).replace(/\?$/, ''), isOptional: token.endsWith('?') })
      texts.push('')
    }
  }
  addText(path.slice(at))
  return { texts, parameters }
}

/** Lists the names of the parameters of a path, optional ones (`/:id?`) included. The name of a wildcard is `*`. */
export function parameterNames(path: string): string[] {
  return splitPath(path).parameters.map(({ name }) => name)
}

/** Finds a name that two parameters of a path share: `request.params` has only the value of the last one. */
export function repeatedParameter(path: string): string | undefined {
  const names = parameterNames(path)
  return names.find((name, index) => names.indexOf(name) < index)
}

/**
 * Removes the names and the regular expressions of the parameters from a path. To the router, paths that differ only in names and
 * expressions are the same.
 */
export function withoutParameterNames(path: string): string {
  return path.replace(pathToken, (token) => (token === '::' || token === '*' ? token : token.startsWith('(') ? '()' : ':'))
}

/** Returns the schema that a schema with a `$ref` refers to; `undefined` if it is not known. */
type FollowReference = (reference: { readonly $ref: string }) => unknown

/** The keywords that are read of a schema of `params`. */
interface ParamsSchema {
  readonly required?: unknown
  readonly properties?: Readonly<Record<string, { readonly default?: unknown } | undefined>>
  readonly allOf?: unknown
}

/**
 * Finds the parameters that a JSON Schema of `params` requires and that a path does not have, so that every request would be invalid. A
 * parameter with a default is not missing.
 */
export function missingParameters(schema: unknown, path: string, follow: FollowReference = () => undefined): string[] {
  const names = new Set(parameterNames(path))
  const together = [...schemasTogether(schema, follow, new Set())]
  const required = new Set(together.flatMap((each) => (Array.isArray(each.required) ? (each.required as unknown[]) : [])))
  const hasDefault = (name: string): boolean => together.some(({ properties }) => properties?.[name]?.default !== undefined)
  return [...required].filter((name): name is string => typeof name === 'string' && !names.has(name) && !hasDefault(name))
}

/** Adds a schema to `found`, with the schemas that each of its values must fit too: those behind `$ref` and in `allOf`. */
function schemasTogether(schema: unknown, follow: FollowReference, found: Set<ParamsSchema>): Set<ParamsSchema> {
  if (typeof schema !== 'object' || schema === null || found.has(schema)) return found
  found.add(schema)
  if ('$ref' in schema && typeof schema.$ref === 'string') schemasTogether(follow(schema as { $ref: string }), follow, found)
  const { allOf }: ParamsSchema = schema
  if (Array.isArray(allOf)) for (const each of allOf) schemasTogether(each, follow, found)
  return found
}
