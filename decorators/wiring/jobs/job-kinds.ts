/** The kinds of values that the options of jobs and queues may have. */
import { isObject, MAX_TIMEOUT_MS } from '../../../lib/internal.js'
import { isEventToken } from '../../jobs/event.js'
import { isQueueToken } from '../../jobs/queue.js'
import { findUnknown } from '../checks/options.js'
import { type Fault, fault } from '../faults.js'
import { type Kinds, type OptionKind, wholeNumber } from '../option-kinds.js'
import { describeValue } from '../value-names.js'

const MAX_CONCURRENCY = 10_000
/** The names that queues and schedules may have: drivers write the names into keys and tables. */
const NAME = /^[\w.-]{1,100}$/

const oneOf = (...values: readonly string[]): OptionKind => ({
  name: values.map((value) => `'${value}'`).join(' or '),
  example: `'${values[0]}'`,
  holds: (value) => values.includes(value as string),
})
/** The option kind of texts that are not empty. */
export const text: OptionKind = { name: 'a text', example: "'…'", holds: (value) => typeof value === 'string' && value !== '' }
/** The option kind of names of queues and schedules. */
export const name: OptionKind = {
  name: 'a text of at most 100 letters, digits, dots, hyphens and underscores',
  example: "'mails'",
  holds: (value) => typeof value === 'string' && NAME.test(value),
}
const whole = (from: number, to: number, example: string): OptionKind =>
  wholeNumber(`a whole number from ${from} to ${to}`, from, to, example)
const milliseconds = (from: number): OptionKind =>
  wholeNumber(`a whole number of milliseconds from ${from} to ${MAX_TIMEOUT_MS}`, from, MAX_TIMEOUT_MS, '60000')
const isQueue: OptionKind = { name: 'a queue', example: "queue('mails', { … })", holds: isQueueToken }

const retryKinds = { limit: whole(0, 1_000, '3'), delay: milliseconds(0), backoff: oneOf('fixed', 'exponential') }
const retry: OptionKind = {
  name: 'an object of limit, delay and backoff',
  example: "{ limit: 3, delay: 10000, backoff: 'exponential' }",
  holds: (value) =>
    isObject(value) &&
    Object.entries(value).every(
      ([key, each]) => each === undefined || (Object.hasOwn(retryKinds, key) && retryKinds[key as keyof typeof retryKinds].holds(each)),
    ),
}
/** The kind of value for each option of `@Job`. */
export const jobKinds: Kinds = {
  queue: isQueue,
  on: { name: 'an event', example: "domainEvent('user.registered', { … })", holds: isEventToken },
  when: oneOf('now', 'later', 'queue'),
  concurrency: whole(1, MAX_CONCURRENCY, '5'),
  every: milliseconds(1),
  cron: text,
  timezone: text,
  name,
  overlap: oneOf('skip', 'allow'),
  retry,
  timeout: milliseconds(1),
}
/** The kind of value for each option of `queue`. */
export const queueKinds: Kinds = {
  input: { name: 'a schema', example: "{ type: 'object', … }", holds: (value) => isObject(value) || typeof value === 'function' },
  retry,
  timeout: milliseconds(1),
  deadLetter: isQueue,
}

/**
 * Returns the faults of unknown options and of options with a wrong kind of value. @param kinds the kinds of values of all known options
 */
export function findWrong(place: string, decorator: string, options: object, kinds: Kinds, known = Object.keys(kinds)): Fault[] {
  const wrong = Object.entries(options).filter(
    ([option, value]) => value !== undefined && known.includes(option) && !kinds[option]!.holds(value),
  )
  return [
    ...findUnknown(place, decorator, options, known),
    ...wrong.map(([option, value]) => {
      const { name: wanted, example } = kinds[option]!
      return fault('OPTION_INVALID', place, decorator, describeValue(value), option, wanted, `Write ${option}: ${example}.`)
    }),
  ]
}
