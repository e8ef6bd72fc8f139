/** The patterns that name routes in access rules: `/admin/**`, `GET /users/:id`. */

/** The methods and the path of a route. */
export interface MethodsAndPath {
  readonly methods: readonly string[]
  readonly path: string
}

/** Returns a function that tells whether a pattern matches a route. */
export function matcherOf(pattern: string): (route: MethodsAndPath) => boolean {
  const text = pattern.trim()
  const [, method] = /^(\S+)\s+/.exec(text) ?? []
  const wanted = method?.toUpperCase()
  const expression = expressionOf(method === undefined ? text : text.slice(method.length).trim())
  return (route) => (wanted === undefined || route.methods.includes(wanted)) && expression.test(route.path)
}

function expressionOf(path: string): RegExp {
  // A route may have the path `*`, without a slash.
  if (path === '/**') return /^/
  const parts = path.split('/').map((part, index) => {
    if (part === '**') return index === 0 ? '.*' : '(?:/.*)?'
    const text = part.split(/\*+/).map(escape).join('[^/]*')
    return index === 0 ? text : `/${text}`
  })
  return new RegExp(`^${parts.join('')}$`)
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
