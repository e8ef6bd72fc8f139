/** Finds the name that a misspelt name probably means. */

/**
 * Returns the known name that is most similar to a misspelt name, in any case of letters; `undefined` if none is similar. `limit` is the
 * most characters that may differ; at least one character must be the same.
 */
export function nearestName(misspelt: string, known: readonly string[], limit = Math.max(2, misspelt.length / 4)): string | undefined {
  const [nearest] = known
    .map((name) => ({ name, distance: editDistance(misspelt.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  return nearest !== undefined && nearest.distance <= Math.min(limit, misspelt.length - 1) ? nearest.name : undefined
}

/** Returns the question `Did you mean 'bodyLimit'?` for a misspelt name, or `otherwise` if no known name is similar. */
export function suggestName(misspelt: string, known: readonly string[], otherwise = ''): string {
  const nearest = nearestName(misspelt, known)
  return nearest === undefined ? otherwise : `Did you mean '${nearest}'?`
}

/**
 * Throws if a value is not an object of options, or has an option that does not exist: a misspelt option would have no effect.
 * @param call the function as messages name it: `compression(…)`
 * @param known the names of all options
 * @throws TypeError
 */
export function assertKnownOptions<T extends object>(call: string, options: T, known: readonly (keyof T & string)[]): void {
  if (options === null || typeof options !== 'object')
    throw new TypeError(`${call} takes an object of options. Its options are: ${known.join(', ')}.`)
  for (const name of Object.keys(options))
    if (!(known as readonly string[]).includes(name))
      throw new TypeError(`${call} has no option '${name}'. ${suggestName(name, known, `Its options are: ${known.join(', ')}.`)}`)
}

/** Counts the characters that must be inserted, removed or replaced to turn one text into the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
    row = next
  }
  return row[b.length]!
}
