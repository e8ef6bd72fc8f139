/** The paths of routes, as the router (find-my-way) understands them, as templates of OpenAPI: `/users/:id` is `/users/{id}`. */

import { type PathParameter as ParameterOfPath, splitPath } from '../../../lib/internal.js'

/** A parameter of a path. */
export interface PathParameter extends ParameterOfPath {
  /** The name in the template. */
  readonly templateName: string
}

export interface PathTemplate {
  readonly template: string
  readonly parameters: readonly PathParameter[]
  /** The name of the optional parameter that this template does not have. */
  readonly without?: string
}

/** Returns the templates of a path: two if its last parameter is optional (`/users/:id?`), the one without it first. */
export function templatesOf(path: string): readonly PathTemplate[] {
  const optional = /\/:([^/().-]+)\?$/.exec(path)
  if (optional === null) return [readPath(path)]
  const base = path.slice(0, optional.index) || '/'
  return [{ ...readPath(base), without: optional[1]! }, readPath(path.slice(0, -1))]
}

function readPath(path: string): PathTemplate {
  const { texts, parameters } = splitPath(path)
  const wildcard = parameters.some(({ name }) => name === 'wildcard') ? 'rest' : 'wildcard'
  const named = parameters.map((parameter) => ({ ...parameter, templateName: parameter.name === '*' ? wildcard : parameter.name }))
  return {
    template: texts.map((text, index) => literal(text) + (index < named.length ? `{${named[index]!.templateName}}` : '')).join(''),
    parameters: named,
  }
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
