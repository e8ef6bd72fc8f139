/** Reads the parameters in the path of a route, as the router (find-my-way) understands them. */

/** Matches the regular expression of a parameter, an escaped colon (`::`), or the name of a parameter. */
const pathPart = /\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|::|:[^/().-]+/g

/** The names of the parameters, also of an optional one (`/:id?`). That of a wildcard is `*`. */
export function parameterNames(path: string): string[] {
  const named = (path.match(pathPart) ?? []).filter((part) => part !== '::' && !part.startsWith('('))
  const names = named.map((part) => part.slice(1).replace(/\?$/, ''))
  return path.replaceAll(pathPart, '').includes('*') ? [...names, '*'] : names
}

/** A name that two parameters of a path have: a request has only the value of the last. */
export function repeatedParameter(path: string): string | undefined {
  const names = parameterNames(path)
  return names.find((name, index) => names.indexOf(name) < index)
}

/** To the router, two paths that differ only in the names or the regular expressions of their parameters are the same. */
export function withoutParameterNames(path: string): string {
  return path.replace(pathPart, (part) => (part === '::' ? part : part.startsWith('(') ? '()' : ':'))
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
