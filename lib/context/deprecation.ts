/** The deprecation of routes: what an application may declare, and what replies and documents say of it. */
import type { Deprecation, DeprecationDescription } from '../types/description.js'
import { suggestName } from '../util/nearest-name.js'
import { isPlainObject } from '../util/objects.js'
import type { DescriptionProblem } from './description-problems.js'

/** The headers of a deprecated route, as they are written in each of its replies. */
export interface DeprecationHeaders {
  /** The day since which the routes are deprecated, as a date of structured fields (RFC 9745): `@1688169599`. */
  readonly deprecation: string
  /** The time at which the routes may end (RFC 8594): `Wed, 31 Dec 2026 23:59:59 GMT`. */
  readonly sunset: string | undefined
  /**
   * The value of the header `Link` (RFC 8288): a link to the page about the deprecation, with the relation `deprecation`; if the route has
   * a sunset, also with the relation `sunset`.
   */
  readonly link: string | undefined
}

const knownKeys = ['since', 'sunset', 'link']
const cureOfDate = "Write an ISO date, '2026-12-31', or a time with its zone, '2026-12-31T18:00:00Z', or a Date"
const ISO_DATE = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/
const FIRST_TIME = Date.UTC(1970, 0, 1)
const LAST_TIME = Date.UTC(9999, 11, 31)
/** The characters that a URL or path may have between the brackets of a `Link` header (RFC 3986, RFC 8288). */
const URL_CHARACTERS = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/

/** Finds the faults in the option `deprecated` of a route or a context. */
export function findDeprecationProblems(deprecated: unknown): DescriptionProblem[] {
  if (deprecated === undefined || typeof deprecated === 'boolean') return []
  if (!isPlainObject(deprecated))
    return [
      {
        problem: 'has a deprecated that is neither true, false nor an object',
        cure: "Write deprecated: { since: '2026-06-30', sunset: '2026-12-31' }",
      },
    ]
  const { since, sunset, link, ...others } = deprecated
  const problems = Object.keys(others).map((key) => ({
    problem: `has '${key}' in deprecated, which has no such key`,
    cure: suggestName(key, knownKeys, `Keys are: ${knownKeys.join(', ')}`),
  }))
  const begin = readTime(since)
  const end = readTime(sunset)
  if (since === undefined)
    problems.push({
      problem: "has a deprecated without 'since'",
      cure: 'Write the day since which the routes are deprecated, or deprecated: true',
    })
  else if (begin === undefined) problems.push({ problem: "has a 'since' in deprecated that is not a date", cure: cureOfDate })
  if (sunset !== undefined && end === undefined)
    problems.push({ problem: "has a 'sunset' in deprecated that is not a date", cure: cureOfDate })
  // RFC 9745 §4.
  if (begin !== undefined && end !== undefined && end < begin)
    problems.push({ problem: "has a 'sunset' in deprecated that is before its 'since'", cure: 'Write a sunset that is not before since' })
  if (link !== undefined && !isLink(link))
    problems.push({
      problem: "has a 'link' in deprecated that is neither an absolute URL nor a path",
      cure: "Write 'https://example.com/changes' or '/changes'. Other characters than those of URLs are percent-encoded",
    })
  return problems
}

/** Reads a date as ms since 1970; `undefined` if the value is not a date. A day without a time begins at midnight in UTC. */
function readTime(value: unknown): number | undefined {
  if (typeof value === 'string' && !isIsoDate(value)) return undefined
  // A Date of another realm, such as that of a test runner, is no instance of this one's class.
  if (typeof value !== 'string' && Object.prototype.toString.call(value) !== '[object Date]') return undefined
  const time = new Date(value as string | Date).getTime()
  return time >= FIRST_TIME && time <= LAST_TIME ? time : undefined
}

/** Whether a text is an ISO date of a day that exists. `Date` alone would read the 30th of February as the 2nd of March. */
function isIsoDate(text: string): boolean {
  const day = ISO_DATE.exec(text)?.[1]
  if (day === undefined) return false
  const read = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(read.getTime()) && read.toISOString().startsWith(day)
}

function isLink(link: unknown): boolean {
  if (typeof link !== 'string' || !URL_CHARACTERS.test(link)) return false
  if (link.startsWith('/')) return !link.startsWith('//')
  return /^https?:\/\//i.test(link) && URL.canParse(link)
}

/**
 * Returns the headers that every reply of a deprecated route gets; `null` for a route that is not deprecated, or is deprecated without
 * dates.
 */
export function compileDeprecation(deprecated: boolean | Deprecation): DeprecationHeaders | null {
  if (typeof deprecated === 'boolean') return null
  const { since, sunset, link } = deprecated
  const relations = sunset === undefined ? ['deprecation'] : ['deprecation', 'sunset']
  return {
    deprecation: `@${Math.floor(readTime(since)! / 1000)}`,
    sunset: sunset === undefined ? undefined : new Date(readTime(sunset)!).toUTCString(),
    link: link === undefined ? undefined : relations.map((relation) => `<${link}>; rel="${relation}"`).join(', '),
  }
}

/** Returns the deprecation of a route as plain data, with ISO texts as dates; `undefined` if no dates are declared. */
export function describeDeprecation(deprecated: boolean | Deprecation): DeprecationDescription | undefined {
  if (typeof deprecated === 'boolean') return undefined
  const { since, sunset, link } = deprecated
  return {
    since: isoText(readTime(since)!),
    ...(sunset !== undefined && { sunset: isoText(readTime(sunset)!) }),
    ...(link !== undefined && { link }),
  }
}

/**
 * Describes a deprecation for people: `since 2026-06-30, may be gone from 2026-12-31 on, see
 * https://example.com/changes`.
 */
export function textOfDeprecation({ since, sunset, link }: DeprecationDescription): string {
  const end = sunset === undefined ? '' : `, may be gone from ${sunset} on`
  return `since ${since}${end}${link === undefined ? '' : `, see ${link}`}`
}

/** Returns a time as an ISO text: `2026-12-31` if it is midnight in UTC, otherwise `2026-12-31T18:00:00Z`. */
function isoText(time: number): string {
  const text = new Date(time).toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.replace('.000Z', 'Z')
}

/** Returns the sunset of a route as an ISO text if this time has passed; otherwise `undefined`. */
export function pastSunset(deprecated: boolean | Deprecation, now: number): string | undefined {
  if (typeof deprecated === 'boolean' || deprecated.sunset === undefined) return undefined
  const time = readTime(deprecated.sunset)!
  return time > now ? undefined : isoText(time)
}

const MAX_NAMED_ROUTES = 5

/** Returns a warning about routes whose sunset has passed: `GET /v1/orders (2026-12-31)`. */
export function textOfPastSunsets(routes: readonly string[]): string {
  const named = routes.slice(0, MAX_NAMED_ROUTES).join(', ')
  const more = routes.length > MAX_NAMED_ROUTES ? ` and ${routes.length - MAX_NAMED_ROUTES} more` : ''
  return `still served after their sunset: ${named}${more}. Remove these routes, or write a later sunset.`
}
