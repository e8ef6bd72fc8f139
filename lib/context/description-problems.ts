/** Faults of what routes and contexts say of themselves: their replies, their documentation and their deprecation. */
import { suggestName } from '../util/nearest-name.js'

/**
 * A fault of declared replies or documentation: what is wrong, `has no key 'respones'`, and what to write instead, `Did you mean 'responses'?`. Both texts have no
 * full stop.
 */
export interface DescriptionProblem {
  readonly problem: string
  readonly cure: string
}

/** Returns the problems of declared replies or documentation as one text. */
export function textOfProblems(problems: readonly DescriptionProblem[]): string {
  return problems.map(({ problem, cure }) => `${problem}. ${cure}`).join('; ')
}

/** Returns a problem for each key of an object that is not known and is no extension (`x-…`). @param place the object: `docs` */
export function unknownKeys(value: object, known: readonly string[], place: string): DescriptionProblem[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key) && !key.startsWith('x-'))
    .map((key) => ({
      problem: `has '${key}' in ${place}, which has no such key`,
      cure: suggestName(key, known, `Keys are: ${known.join(', ')}`),
    }))
}
