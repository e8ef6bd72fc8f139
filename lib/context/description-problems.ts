/** Faults in the declarations of routes and contexts: in their declared replies, their documentation and their deprecation. */
import { suggestName } from '../util/nearest-name.js'

/**
 * A fault of declared replies or documentation, in two texts without a full stop: the fault, `has no key 'respones'`, and the correction,
 * `Did you mean 'responses'?`.
 */
export interface DescriptionProblem {
  readonly problem: string
  readonly cure: string
}

/** Returns the problems of declared replies or documentation as one text. */
export function textOfProblems(problems: readonly DescriptionProblem[]): string {
  return problems.map(({ problem, cure }) => `${problem}. ${cure}`).join('; ')
}

/**
 * Returns one problem for each unknown key of an object. Extensions (`x-…`) are allowed.
 * @param place the name of the object in the texts: `docs`
 */
export function unknownKeys(value: object, known: readonly string[], place: string): DescriptionProblem[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key) && !key.startsWith('x-'))
    .map((key) => ({
      problem: `has '${key}' in ${place}, which has no such key`,
      cure: suggestName(key, known, `Keys are: ${known.join(', ')}`),
    }))
}
