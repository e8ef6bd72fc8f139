import { nearestName } from '../util/nearest-name.js'
import { formatNames } from './ajv/formats.js'
import { keywords } from './json-schema/vocabulary.js'

/** An error in the schema of one part of a route. */
export class PartFailure extends Error {
  /** The part of the route: `body`, `params`, …, `response 200`, `response 2xx application/json`. */
  readonly part: string

  /**
   * Makes the error for a part.
   * @param isDefault whether the default engine has failed; messages of the application's own compilers are left unchanged
   */
  constructor(part: string, isDefault: boolean, cause: unknown) {
    const reason = (cause as Error)?.message ?? String(cause)
    super(isDefault ? `${reason} (in the schema of ${part})${suggestionFor(reason)}` : reason, { cause })
    this.part = part
  }
}

/** Returns `. Did you mean 'maxLength'?` for the error of an unknown keyword or format that resembles a known one. */
function suggestionFor(reason: string): string {
  const [, keyword, format] = /unknown (?:keyword: "(.*)"|format "(.*)" ignored)/.exec(reason) ?? []
  const misspelt = keyword ?? format
  if (misspelt === undefined) return ''
  const known = keyword === undefined ? formatNames : keywords.keys()
  const meant = nearestName(
    misspelt,
    [...known].filter((name) => name !== misspelt),
  )
  return meant === undefined ? '' : `. Did you mean '${meant}'?`
}

/** Returns the `$id` of the shared schema that an engine did not find; `undefined` for any other error. */
export function missingSchemaOf({ cause }: Error): string | undefined {
  if (!(cause instanceof Error)) return undefined
  const { missingSchema, message } = cause as Error & { missingSchema?: string }
  const id = missingSchema ?? /^Cannot resolve ref ".*"\. Schema with id "(.*)" is not found/.exec(message)?.[1]
  return id === '' ? undefined : id
}
