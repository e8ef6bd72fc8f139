/** Checks the options of `openapi`. */
import { isObject, suggestName } from '../../../lib/internal.js'
import type { OpenApiOptions } from './document-types.js'

const names: { readonly [K in Exclude<keyof OpenApiOptions, `x-${string}`>]-?: true } = {
  info: true,
  servers: true,
  version: true,
  basePath: true,
  include: true,
  operationId: true,
  tags: true,
  externalDocs: true,
  onWarning: true,
}
const known = Object.keys(names)

/**
 * Throws if options of an OpenAPI document are unknown or invalid.
 * @param caller the name of the called function, for the message: `openapi`
 * @throws TypeError that names all problems
 */
export function assertOptions(caller: string, options: OpenApiOptions): void {
  const problems = problemsOfOptions(options)
  if (problems !== undefined) throw new TypeError(`${caller}: ${problems}`)
}

/** Returns a text that names all unknown and invalid options of a document; `undefined` if there are none. */
export function problemsOfOptions(options: OpenApiOptions): string | undefined {
  if (!isObject(options)) return `pass an object of options: { info: { title: '…', version: '1.0.0' } }`
  const problems = [...unknownNames(options), ...invalidValues(options)]
  return problems.length === 0 ? undefined : problems.join('; ')
}

function unknownNames(options: object): string[] {
  return Object.keys(options)
    .filter((name) => !name.startsWith('x-') && !known.includes(name))
    .map((name) => `there is no option '${name}'. ${suggestName(name, known, `Options are: ${known.join(', ')}`)}`)
}

function invalidValues({ info, version, basePath }: Partial<OpenApiOptions>): string[] {
  return [
    ...(typeof info?.title === 'string' && typeof info.version === 'string' ? [] : [`write info: { title: '…', version: '1.0.0' }`]),
    ...(version === undefined || version === '3.1' || version === '3.2' ? [] : [`version is '3.1' or '3.2'`]),
    ...(basePath === undefined || /^\/.*[^/]$/.test(basePath) ? [] : [`basePath begins with a slash and does not end with one: '/api'`]),
  ]
}
