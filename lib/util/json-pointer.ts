/** JSON Pointer (RFC 6901). */

/** Writes the JSON pointer of a path: `['a/b', 0]` → `/a~1b/0`. */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** Decodes a step of a JSON pointer to a name: `a~1b` → `a/b`. */
export function nameOfStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
