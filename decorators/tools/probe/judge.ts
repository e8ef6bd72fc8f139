/** Finds the faults that the outcome of a request shows. */
import { responseKeyOf, STATUS_CODES } from '../../../lib/internal.js'
import type { Outcome } from './exchange.js'
import type { Target } from './targets.js'

/**
 * The kinds of faults: status 500, or a higher status that the application does not declare (`failure`), an undeclared status or class of
 * errors (`undeclared`), an undeclared media type, or a body or header that does not fit its schema (`reply`), a body that is read before the
 * guard replies (`guard`), a slow reply (`slow`), an internal text in the reply (`leak`), or no reply (`hang`).
 */
export type FindingKind = 'failure' | 'undeclared' | 'reply' | 'guard' | 'slow' | 'leak' | 'hang'

/** A fault of a route, as shown by one request. */
export interface Verdict {
  readonly kind: FindingKind
  /** A text that identifies the fault: two requests that show the same fault of a route have equal keys. */
  readonly key: string
  /** A sentence about the fault without its subject, which is the route: `answers 500 …`. */
  readonly text: string
  readonly status?: number
  /** The internal text that the reply contains. */
  readonly leaked?: string
}

export interface Bounds {
  /** The time that a reply may take, in ms; `undefined` if there is no limit. */
  readonly slowerThan: number | undefined
  readonly timeout: number
}

/** The number of characters of a reply in which leaks are searched. */
const MAX_SEARCHED = 100_000
/** Patterns of internal texts that replies must not contain, each with its name and the lowest status for which the pattern is searched. */
const leaks: readonly (readonly [name: string, pattern: RegExp, least: number])[] = [
  ['a stack trace', /(?:\n|\\n)\s*at (?:[^\n]{0,200} \()?(?:file:\/\/|node:|\/|[A-Za-z]:\\{1,2})[^\n"\\]{0,200}:\d+/, 0],
  [
    'a path of the server',
    /(?:file:\/\/\/|\/[\w./-]{0,200}\/node_modules\/|[A-Za-z]:\\{1,2}[\w\\.-]{0,200}\\{1,2}node_modules\\)[\w./-]{0,200}/,
    400,
  ],
  [
    'an SQL text',
    /\b(?:SELECT\s[^;]{1,300}?\sFROM\s|INSERT\s+INTO\s|UPDATE\s\S{1,100}\sSET\s|DELETE\s+FROM\s|syntax error at or near|violates \S{1,40} constraint|SQLITE_[A-Z]+|relation \S{1,100} does not exist|ER_[A-Z_]{4,})/,
    400,
  ],
]

/** Returns the faults that the outcome of a request shows. */
export function judgeOutcome({ route }: Target, outcome: Outcome, { slowerThan, timeout }: Bounds): Verdict[] {
  const { status, fault, time, isHanging } = outcome
  if (isHanging) return [{ kind: 'hang', key: 'hang', text: `does not answer within ${timeout} ms: ${route.place} sends no reply.` }]
  if (status === undefined) return []
  const verdicts: Verdict[] = []
  const isDescribed = (route.responses[String(status)]?.from ?? []).some((each) => each !== 'alcove')
  if (status === 500 || (status > 500 && !isDescribed)) {
    const [error] = outcome.errors
    const key = `failure ${status} ${signatureOf(error)}`
    verdicts.push({ kind: 'failure', key, status, text: `answers ${status}${error === undefined ? '' : `: ${shortError(error)}`}` })
  } else if (fault !== undefined) {
    const isUndeclared = responseKeyOf(String(status), (key) => route.responses[key] !== undefined) === undefined
    const kind = isUndeclared || (fault as { code?: unknown }).code === 'ALC_ERR_ERROR_UNLISTED' ? 'undeclared' : 'reply'
    verdicts.push({ kind, key: `${kind} ${status}`, status, text: `answers ${status}, which is not as described. ${fault.message}` })
  }
  const leaked = leakOf(outcome)
  if (leaked !== undefined)
    verdicts.push({
      kind: 'leak',
      key: `leak ${leaked.name}`,
      status,
      leaked: leaked.text,
      text: `shows ${leaked.name} to the client: ${leaked.text}`,
    })
  if (slowerThan !== undefined && time > slowerThan)
    verdicts.push({ kind: 'slow', key: 'slow', text: `answers after ${Math.round(time)} ms, which is more than ${slowerThan} ms.` })
  return verdicts
}

function leakOf({ status = 0, body: whole, errors }: Outcome): { readonly name: string; readonly text: string } | undefined {
  const body = whole.slice(0, MAX_SEARCHED)
  for (const [name, pattern, least] of leaks) {
    const found = status >= least ? pattern.exec(body) : null
    if (found !== null)
      return {
        name,
        text: found[0]
          .replace(/^(?:\\n|\s)+/, '')
          .split(/\n|\\n/)[0]!
          .slice(0, 200),
      }
  }
  if (status >= 400 && body.includes(process.cwd())) return { name: 'a path of the server', text: process.cwd() }
  for (const error of status >= 500 ? errors : []) {
    const { message, expose } = (error ?? {}) as { message?: unknown; expose?: unknown }
    if (expose === true || typeof message !== 'string' || message.length < 6 || Object.values(STATUS_CODES).includes(message)) continue
    if (body.includes(message) || body.includes(JSON.stringify(message).slice(1, -1)))
      return { name: 'the message of an inner error', text: message }
  }
  return undefined
}

/** Returns a text about an error that is equal for all requests that run into the same mistake. */
function signatureOf(error: unknown): string {
  const { name, stack = '' } = (error ?? {}) as { name?: unknown; stack?: unknown }
  const frame = /\n\s+at ([^\n]+)/.exec(String(stack))
  return `${String(name)} ${frame?.[1] ?? ''}`
}

function shortError(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const frame = error instanceof Error ? /\n\s+at ([^\n]+)/.exec(error.stack ?? '')?.[1] : undefined
  return `${text.length > 200 ? `${text.slice(0, 200)}…` : text}${frame === undefined ? '' : ` (at ${frame})`}`
}
