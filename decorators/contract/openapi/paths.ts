/** The paths of routes, as the router (find-my-way) understands them, as templates of OpenAPI: `/users/:id` is `/users/{id}`. */

import { type PathParameter as ParameterOfPath, splitPath } from '../../../lib/internal.js'

/** A parameter of a path, with its name in the OpenAPI template. */
export interface PathParameter extends ParameterOfPath {
  /** The name of the parameter in the template: `wildcard` for `*`. */
  readonly templateName: string
}

export interface PathTemplate {
  readonly template: string
  readonly parameters: readonly PathParameter[]
  /** The name of the optional parameter that this template leaves out. */
  readonly without?: string
}

/** Returns the templates of a path: two if its last parameter is optional (`/users/:id?`), the template without the parameter first. */
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

/** Escapes the braces of a text, because braces enclose parameters in templates. */
function escapeBraces(text: string): string {
  return text.replaceAll('{', '%7B').replaceAll('}', '%7D')
}

/**
 * Returns a template without the names of its parameters. Two templates that differ only in these names are the same path, which a document
 * can contain once.
 */
export function withoutNames(template: string): string {
  return template.replaceAll(/\{[^}]*\}/g, '{}')
}

/** Gives the parameters of a template the names that they have in another template of the same path. */
export function renameParameters(own: PathTemplate, template: string): PathTemplate {
  const names = [...template.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name!)
  return { ...own, template, parameters: own.parameters.map((parameter, index) => ({ ...parameter, templateName: names[index]! })) }
}
