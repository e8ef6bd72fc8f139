/** The paths of routes, as the router (find-my-way) understands them, as templates of OpenAPI: `/users/:id` is `/users/{id}`. */

/** A parameter of a path. */
export interface PathParameter {
  /** The name in `request.params`; `*` for a wildcard. */
  readonly name: string
  /** The name in the template. */
  readonly templateName: string
  /** The source of the regular expression that its text has to match. */
  readonly pattern?: string
}

export interface PathTemplate {
  readonly template: string
  readonly parameters: readonly PathParameter[]
  /** The name of the optional parameter that this template does not have. */
  readonly without?: string
}

/** Matches the regular expression of a parameter, an escaped colon (`::`), the name of a parameter, or a wildcard. */
const part = /\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)|::|:[^/().-]+|[*]/g

/** Returns the templates of a path: two if its last parameter is optional (`/users/:id?`), the one without it first. */
export function templatesOf(path: string): readonly PathTemplate[] {
  const optional = /\/:([^/().-]+)\?$/.exec(path)
  if (optional === null) return [readPath(path)]
  const base = path.slice(0, optional.index) || '/'
  return [{ ...readPath(base), without: optional[1]! }, readPath(path.slice(0, -1))]
}

function readPath(path: string): PathTemplate {
  const parameters: PathParameter[] = []
  const names = new Set([...path.matchAll(part)].map(([text]) => text.slice(1)))
  let template = ''
  let at = 0
  for (const { 0: text, index } of path.matchAll(part)) {
    template += literal(path.slice(at, index))
    at = index + text.length
    if (text === '::') template += ':'
    else if (text.startsWith('(')) {
      const last = parameters.pop()
      if (last !== undefined) parameters.push({ ...last, pattern: text.slice(1, -1) })
    } else {
      const name = text === '*' ? '*' : text.slice(1)
      const templateName = text === '*' ? (names.has('wildcard') ? 'rest' : 'wildcard') : name
      parameters.push({ name, templateName })
      template += `{${templateName}}`
    }
  }
  return { template: template + literal(path.slice(at)), parameters }
}

/** Braces have a meaning in templates. */
function literal(text: string): string {
  return text.replaceAll('{', '%7B').replaceAll('}', '%7D')
}

/** Two templates that differ only in the names of their parameters are the same path, which a document can contain once. */
export function withoutNames(template: string): string {
  return template.replaceAll(/\{[^}]*\}/g, '{}')
}

/** Gives the parameters of a template the names that they have in another template of the same path. */
export function renameParameters(own: PathTemplate, template: string): PathTemplate {
  const names = [...template.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name!)
  return { ...own, template, parameters: own.parameters.map((parameter, index) => ({ ...parameter, templateName: names[index]! })) }
}
