/** Checks the options of `testServer`, because a misspelt option would leave the real provider in place. */
import { suggestName } from '../../lib/internal.js'
import { describeValue } from '../wiring/value-names.js'

/** Checks the names and values of options of `testServer`. @throws TypeError for the first fault */
export function assertTestOptions(
  options: { readonly [name in 'provide' | 'override' | 'replies' | 'throws' | 'schemas']?: unknown },
  known: readonly string[],
): void {
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    const cure = suggestName(name, known, 'Options of the server are written as server: { … }.')
    throw new TypeError(`testServer has no option '${name}'. ${cure}`)
  }
  for (const name of ['provide', 'override'] as const) assertPairs(name, options[name])
  for (const name of ['throws', 'schemas'] as const) {
    const value = options[name]
    if (value === undefined || Array.isArray(value)) continue
    throw new TypeError(`testServer has ${describeValue(value)} as ${name}, which is not a list. Write ${name}: [ … ].`)
  }
  const { replies = 'check' } = options
  if (!['check', 'warn', 'ignore'].includes(replies as string))
    throw new TypeError(`testServer has ${describeValue(replies)} as replies. Write 'check', 'warn' or 'ignore'.`)
}

function assertPairs(name: string, pairs: unknown): void {
  if (pairs === undefined) return
  if (!Array.isArray(pairs)) throw new TypeError(`testServer has ${describeValue(pairs)} as ${name}. Write ${name}: [[Token, substitute]].`)
  for (const [index, pair] of pairs.entries()) {
    if (!Array.isArray(pair)) {
      const described = describeValue(pair)
      throw new TypeError(`testServer has ${described} as entry ${index + 1} of ${name}. Write pairs: ${name}: [[Token, substitute]].`)
    }
    if (pair[0] == null)
      throw new TypeError(
        `testServer has ${describeValue(pair[0])} as the token of entry ${index + 1} of ${name}. Write the token of a provider.`,
      )
  }
}
