/**
 * Converts the paths of routes, as the router (find-my-way) understands them, to path templates of OpenAPI: `/users/:id` becomes
 * `/users/{id}`.
 */

import { type PathParameter as ParameterOfPath, splitPath } from '../../../lib/internal.js'

/** A parameter of a path, with its name in the OpenAPI template. */
export interface PathParameter extends ParameterOfPath {
  /** The name of the parameter in the template: `wildcard` for `*`. */
  readonly templateName: string
}

export interface PathTemplate {
  readonly template: string
  readonly parameters: readonly PathParameter[]
  /** The name of the optional parameter that is missing in this template. */
  readonly without?: string
}

/**
 * Returns the OpenAPI templates of a route's path. A path whose last parameter is optional (`/users/:id?`) has two templates: first the
 * template without this parameter, then the template with it.
 */
export function templatesOf(path: string): readonly PathTemplate[] {
  const optional = /\/:([^/().-]+)\?$/.exec(path)
  if (optional === null) return [readPathTemplate(path)]
  const base = path.slice(0, optional.index) || '/'
  return [{ ...readPathTemplate(base), without: optional[1]! }, readPathTemplate(path.slice(0, -1))]
}

function readPathTemplate(path: string): PathTemplate {
  const { texts, parameters } = splitPath(path)
  const wildcard = parameters.some(({ name }) => name === 'wildcard') ? 'rest' : 'wildcard'
  const named = parameters.map((parameter) => ({ ...parameter, templateName: parameter.name === '*' ? wildcard : parameter.name }))
  return {
    template: texts.map((text, index) => escapeBraces(text) + (index < named.length ? `{${named[index]!.templateName}}` : '')).join(''),
    parameters: named,
  }
}

/** Escapes the braces of a text, because braces enclose the parameters of a template. */
function escapeBraces(text: string): string {
  return text.replaceAll('{', '%7B').replaceAll('}', '%7D')
}

/**
 * Returns a template without the names of its parameters. Templates that differ only in these names are the same path, and a document can
 * contain only one of them.
 */
export function withoutNames(template: string): string {
  return template.replaceAll(/\{[^}]*\}/g, '{}')
}

/** Renames the parameters of `own` to the names in `template`, which is the same path with other parameter names. */
export function renameParameters(own: PathTemplate, template: string): PathTemplate {
  const names = [...template.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name!)
  return { ...own, template, parameters: own.parameters.map((parameter, index) => ({ ...parameter, templateName: names[index]! })) }
}
