/** The error of a part of a route whose schema does not compile, with what to write instead. */
import { suggestName } from '../util/nearest-name.js'
import { formatNames } from './ajv/formats.js'
import { followPointer } from './json-schema/references.js'
import { keywords, typeNames } from './json-schema/vocabulary.js'

/** An error in the schema of one part of a route. */
export class PartFailure extends Error {
  /** The part of the route: `body`, `params`, …, `response 200`, `response 2xx application/json`. */
  readonly part: string

  /**
   * Makes the error for a part.
   * @param isDefault whether the default engine has failed; messages of the application's own compilers are left unchanged
   * @param schema the schema that did not compile
   */
  constructor(part: string, isDefault: boolean, cause: unknown, schema?: unknown) {
    const reason = (cause as Error)?.message ?? String(cause)
    super(isDefault ? `${reason} (in the schema of ${part})${suggestionFor(reason, schema)}` : reason, { cause })
    this.part = part
  }
}

/**
 * Returns what to write in place of an unknown keyword, format or type: `. Did you mean 'maxLength'?` It is an empty text for other errors,
 * and if no known keyword or format is similar.
 */
function suggestionFor(reason: string, schema: unknown): string {
  const [, keyword, format] = /unknown (?:keyword: "(.*)"|format "(.*)" ignored)/.exec(reason) ?? []
  if (keyword !== undefined) return suggest(keyword, [...keywords.keys()])
  if (format !== undefined) return suggest(format, [...formatNames])
  const [, path] = /^schema is invalid: data((?:\/[^,]*)?\/type) must be equal to one of the allowed values/.exec(reason) ?? []
  const type: unknown = path === undefined ? undefined : followPointer(schema, path)?.at(-1)
  return typeof type === 'string' ? suggest(type, typeNames, `. '${type}' is not a type. Types are: ${typeNames.join(', ')}`) : ''
}

function suggest(misspelt: string, known: readonly string[], otherwise = ''): string {
  const others = known.filter((name) => name !== misspelt)
  const suggestion = suggestName(misspelt, others)
  return suggestion === '' ? otherwise : `. ${suggestion}`
}

/** Returns the `$id` of the shared schema that an engine did not find; `undefined` for any other error. */
export function missingSchemaOf({ cause }: Error): string | undefined {
  if (!(cause instanceof Error)) return undefined
  const { missingSchema, message } = cause as Error & { missingSchema?: string }
  const id = missingSchema ?? /^Cannot resolve ref ".*"\. Schema with id "(.*)" is not found/.exec(message)?.[1]
  return id === '' ? undefined : id
}
