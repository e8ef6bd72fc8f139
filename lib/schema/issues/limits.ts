/**
 * The limits of the report about an invalid value. A value can have more issues than members, because each alternative of a schema reports
 * its issues, and an issue can repeat texts that the client chose.
 */
import { isPlainObject } from '../../util/objects.js'
import { shorten } from '../../util/shorten.js'

const MAX_ISSUES = 100
/** The most characters that all paths and messages have together; after that many, no further issues are reported. */
const MAX_TEXT = 10_000
/** The most characters of a single path or message. */
const MAX_TEXT_OF_ISSUE = 1_000

/** The members of an issue that are texts: as ajv reports an issue, and as replies show it. */
const textMembers = ['instancePath', 'message', 'propertyName', 'pointer', 'detail']
/** The members of ajv's `params` whose texts the client chose. */
const textsOfClient = ['additionalProperty', 'unevaluatedProperty', 'propertyName', 'tagValue']

/**
 * Takes issues until the limits are reached. An issue with long texts is replaced by a copy with shorter texts; any other issue stays the
 * same object.
 */
export function limitIssues<Issue>(issues: Iterable<Issue>, budget = { issues: MAX_ISSUES, text: MAX_TEXT }): Issue[] {
  const limited: Issue[] = []
  for (const issue of issues) {
    if (budget.issues <= 0 || budget.text < 0) break
    budget.issues--
    limited.push(shortenIssue(issue, budget) as Issue)
  }
  return limited
}

function shortenIssue(issue: unknown, budget: { issues: number; text: number }): unknown {
  if (!isPlainObject(issue)) return shortenText(issue, MAX_TEXT_OF_ISSUE, budget)
  let short: Record<string, unknown> = shortenMembers(issue, textMembers, MAX_TEXT_OF_ISSUE, budget)
  const { params } = short
  if (!isPlainObject(params)) return short
  let shortParams = shortenMembers(params, textsOfClient, undefined, budget)
  // Plugins of ajv that replace messages list the issues which a message replaces.
  if (Array.isArray(params['errors'])) shortParams = { ...shortParams, errors: limitIssues(params['errors'], budget) }
  if (shortParams !== params) short = { ...short, params: shortParams }
  return short
}

function shortenMembers(
  object: Record<string, unknown>,
  names: readonly string[],
  maxLength: number | undefined,
  budget: { text: number },
): Record<string, unknown> {
  let short = object
  for (const name of names) {
    const value = object[name]
    if (value === undefined) continue
    const shortValue = shortenText(value, maxLength, budget)
    if (shortValue !== value) short = { ...short, [name]: shortValue }
  }
  return short
}

function shortenText(value: unknown, maxLength: number | undefined, budget: { text: number }): unknown {
  if (typeof value !== 'string') return value
  const short = shorten(value, maxLength)
  budget.text -= short.length
  return short
}
