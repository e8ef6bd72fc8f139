/** Reads the parameters in the path of a route, as the router (find-my-way) understands them. */

/** Matches the regular expression of a parameter, an escaped colon (`::`), the name of a parameter, or a wildcard. */
const pathPart = /\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|::|:[^/().-]+|[*]/g

/** A parameter of a path. */
export interface PathParameter {
  /** The name in `request.params`; `*` for a wildcard. */
  readonly name: string
  /** The source of the regular expression that its text has to match. */
  readonly pattern?: string
  /** Whether the router finds the route without it too: `/users/:id?`. */
  readonly isOptional: boolean
}

/** Splits a path at its parameters: `/users/:id` into the texts `/users/` and an empty one, and the parameter between them. */
export function splitPath(path: string): { readonly texts: readonly string[]; readonly parameters: readonly PathParameter[] } {
  const texts = ['']
  const parameters: PathParameter[] = []
  let at = 0
  const addText = (text: string): void => void texts.push(texts.pop()! + text)
  for (const { 0: part, index } of path.matchAll(pathPart)) {
    addText(path.slice(at, index))
    at = index + part.length
    if (part === '::') addText(':')
    else if (part.startsWith('(')) {
      const last = parameters.pop()
      if (last !== undefined) parameters.push({ ...last, pattern: part.slice(1, -1) })
    } else {
      parameters.push({ name: part === '*' ? '*' : part.slice(1).replace(/\?$/, ''), isOptional: part.endsWith('?') })
      texts.push('')
    }
  }
  addText(path.slice(at))
  return { texts, parameters }
}

/** The names of the parameters, also of an optional one (`/:id?`). That of a wildcard is `*`. */
export function parameterNames(path: string): string[] {
  return splitPath(path).parameters.map(({ name }) => name)
}

/** A name that two parameters of a path have: a request has only the value of the last. */
export function repeatedParameter(path: string): string | undefined {
  const names = parameterNames(path)
  return names.find((name, index) => names.indexOf(name) < index)
}

/** To the router, two paths that differ only in the names or the regular expressions of their parameters are the same. */
export function withoutParameterNames(path: string): string {
  return path.replace(pathPart, (part) => (part === '::' || part === '*' ? part : part.startsWith('(') ? '()' : ':'))
}

/**
 * The parameters that a JSON Schema of `params` requires and a path does not have: no request could be valid. A parameter with a default
 * is not missing.
 */
export function missingParameters(schema: unknown, path: string): string[] {
  const { required, properties } = (schema ?? {}) as { required?: unknown; properties?: Record<string, { default?: unknown } | undefined> }
  if (!Array.isArray(required)) return []
  const names = new Set(parameterNames(path))
  return required.filter((name) => typeof name === 'string' && !names.has(name) && properties?.[name]?.default === undefined)
}
