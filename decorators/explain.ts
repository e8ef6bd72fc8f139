/** What an application looks like from above: its contexts and their routes. */
import { type ContextDescription, describeContexts, type Server } from '../lib/index.js'

/** The tree of contexts of a server; prints as text. */
export interface Explanation {
  readonly root: ContextDescription
  toString(): string
}

/**
 * Explains a server that is ready.
 * ```ts
 * console.log(String(explain(server)))
 * ```
 */
export function explain(server: Server): Explanation {
  const root = describeContexts(server)
  return { root, toString: () => drawContext(root).join('\n') }
}

function drawContext({ name, prefix, requestDecorators, routes, children }: ContextDescription): string[] {
  const notes = [
    prefix && `prefix ${prefix}`,
    requestDecorators.length > 0 && `request.${requestDecorators.map(String).join(', request.')}`,
  ].filter(Boolean)
  const branches = [
    ...routes.filter((route) => !route.isAutomatic).map(({ method, url }) => [`${[method].flat().join(', ')} ${url}`]),
    ...children.map(drawContext),
  ]
  return [
    notes.length > 0 ? `${name}  (${notes.join('; ')})` : name,
    ...branches.flatMap((branch, index) => drawBranch(branch, index === branches.length - 1)),
  ]
}

function drawBranch(lines: readonly string[], isLast: boolean): string[] {
  return lines.map((line, index) => (index === 0 ? (isLast ? '└── ' : '├── ') : isLast ? '    ' : '│   ') + line)
}
