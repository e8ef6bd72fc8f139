/** Reads the jobs of a plugin from their classes. A job that cannot be read is a fault and is left out. */
import { isObject, MAX_TIMEOUT_MS, suggestName } from '../../../lib/internal.js'
import type { Class } from '../../declare/metadata.js'
import { problemOfCron } from '../../jobs/cron.js'
import { type EventOptions, eventOptionsOf, type EventToken, isEventToken } from '../../jobs/event.js'
import { type EventJobOptions, getJobOptions, type JobOptions, knownJobOptions, type ScheduledJobOptions } from '../../jobs/job.js'
import { queue, type QueueOptions, queueOptionsOf, isQueueToken, type QueueToken } from '../../jobs/queue.js'
import { type Fault, fault } from '../faults.js'
import type { JobNode, PluginNode } from '../nodes.js'
import { describeValue, nameOf } from '../value-names.js'

/** The kind of value that an option has: its name in errors, an example, and whether a value is of the kind. */
interface Kind {
  readonly name: string
  readonly example: string
  readonly holds: (value: unknown) => boolean
}

const MAX_CONCURRENCY = 10_000
/** Names of queues and schedules: drivers write them into keys and tables. */
const NAME = /^[\w.-]{1,100}$/

const whole = (name: string, from: number, to: number, example: string): Kind => ({
  name: `a whole number${name} from ${from} to ${to}`,
  example,
  holds: (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
})
const oneOf = (...values: readonly string[]): Kind => ({
  name: values.map((value) => `'${value}'`).join(' or '),
  example: `'${values[0]}'`,
  holds: (value) => values.includes(value as string),
})
const text: Kind = { name: 'a text', example: "'…'", holds: (value) => typeof value === 'string' && value !== '' }
const name: Kind = {
  name: 'a text of at most 100 letters, digits, dots, hyphens and underscores',
  example: "'mails'",
  holds: (value) => typeof value === 'string' && NAME.test(value),
}
const milliseconds = (from: number): Kind => whole(' of milliseconds', from, MAX_TIMEOUT_MS, '60000')
const isQueue: Kind = { name: 'a queue', example: "queue('mails', { … })", holds: isQueueToken }

const retryKinds = { limit: whole('', 0, 1_000, '3'), delay: milliseconds(0), backoff: oneOf('fixed', 'exponential') }
const retry: Kind = {
  name: 'an object of limit, delay and backoff',
  example: "{ limit: 3, delay: 10000, backoff: 'exponential' }",
  holds: (value) =>
    isObject(value) &&
    Object.entries(value).every(
      ([key, each]) => each === undefined || (Object.hasOwn(retryKinds, key) && retryKinds[key as keyof typeof retryKinds].holds(each)),
    ),
}
const jobKinds: Readonly<Record<string, Kind>> = {
  queue: isQueue,
  on: { name: 'an event', example: "domainEvent('user.registered', { … })", holds: isEventToken },
  when: oneOf('now', 'later', 'queue'),
  concurrency: whole('', 1, MAX_CONCURRENCY, '5'),
  every: milliseconds(1),
  cron: text,
  timezone: text,
  name,
  overlap: oneOf('skip', 'allow'),
  retry,
  timeout: milliseconds(1),
}
const queueKinds: Readonly<Record<string, Kind>> = {
  input: { name: 'a schema', example: "{ type: 'object', … }", holds: (value) => isObject(value) || typeof value === 'function' },
  retry,
  timeout: milliseconds(1),
  deadLetter: isQueue,
}

/** Returns the faults of options of a wrong kind, and of options that nothing reads. */
function findWrong(
  place: string,
  decorator: string,
  options: object,
  kinds: Readonly<Record<string, Kind>>,
  known: readonly string[],
): Fault[] {
  return Object.entries(options).flatMap(([option, value]) => {
    if (!known.includes(option))
      return fault('UNKNOWN_OPTION', place, decorator, option, suggestName(option, known, `Its options are: ${known.join(', ')}.`))
    const kind = kinds[option]!
    if (value === undefined || kind.holds(value)) return []
    return fault('OPTION_INVALID', place, decorator, describeValue(value), option, kind.name, `Write ${option}: ${kind.example}.`)
  })
}

/** Reads a job class of a plugin. */
export function readJob(JobClass: Class, plugin: PluginNode, found: Fault[]): JobNode[] {
  const options: unknown = typeof JobClass === 'function' ? getJobOptions(JobClass) : undefined
  const path = `${plugin.path} > ${nameOf(JobClass)}`
  if (options === undefined) {
    found.push(fault('NOT_A_JOB', nameOf(JobClass), plugin.path))
    return []
  }
  const triggers = isObject(options) ? (['queue', 'every', 'cron', 'on'] as const).filter((key) => key in options) : []
  const [trigger] = triggers
  if (trigger === undefined || triggers.length > 1) {
    found.push(fault('JOB_TRIGGER_INVALID', path, triggers))
    return []
  }
  const wrong = [
    ...findWrong(path, '@Job', options as object, jobKinds, knownJobOptions[trigger]),
    ...findIdleOptions(path, options as JobOptions),
  ]
  if (typeof JobClass.prototype?.run !== 'function') wrong.push(fault('JOB_WITHOUT_RUN', path))
  const { cron, timezone } = options as ScheduledJobOptions
  const problem = wrong.length === 0 && cron !== undefined ? problemOfCron(cron, timezone) : undefined
  if (problem !== undefined) wrong.push(fault('CRON_INVALID', path, cron!, problem))
  found.push(...wrong)
  return wrong.length > 0 ? [] : [createNode(JobClass, path, plugin, options as JobOptions)]
}

/** Returns the faults of options of a job for an event that have no effect with its `when`, and of one that does not say when. */
function findIdleOptions(path: string, options: JobOptions): Fault[] {
  if (!('on' in options)) return []
  const { when } = options
  const wanted = "'now', 'later' or 'queue'"
  if (when === undefined) return [fault('OPTION_INVALID', path, '@Job', 'undefined', 'when', wanted, `Write when: ${wanted}.`)]
  const idle =
    when === 'queue' ? [] : when === 'later' ? (['concurrency', 'retry'] as const) : (['concurrency', 'retry', 'timeout'] as const)
  return idle
    .filter((option) => options[option] !== undefined)
    .map((option) => fault('UNKNOWN_OPTION', path, `@Job with when: '${when}'`, option, "Write when: 'queue', or leave it out."))
}

function createNode(JobClass: Class, path: string, plugin: PluginNode, options: JobOptions): JobNode {
  const { concurrency = 1 } = options
  const node = { Class: JobClass, path, plugin, concurrency, event: undefined, schedule: undefined }
  if ('queue' in options) return { ...node, queue: options.queue }
  if ('on' in options)
    return { ...node, queue: options.when === 'queue' ? queueOfEvent(options, nameOf(JobClass)) : undefined, event: options }
  return { ...node, queue: queueOfSchedule(options, nameOf(JobClass)), schedule: options }
}

/** The input of a job that runs at times. */
const occurrence = { type: 'object', required: ['at'], properties: { at: { type: 'string', format: 'date-time' } } } as const

/** Makes the queue of a job that runs at times. All processes have the same one, so that one of them does the job. */
function queueOfSchedule(options: ScheduledJobOptions, className: string): QueueToken<{ at: string }> {
  return queue(plainName(`schedule.${options.name ?? className}`), { input: occurrence, ...limitsOf(options) })
}

/** Makes the queue of a job that handles an event by a queue. */
function queueOfEvent(options: EventJobOptions, className: string): QueueToken<any> {
  return queue(plainName(`event.${options.on.name}.${className}`), { input: eventOptionsOf(options.on)?.payload, ...limitsOf(options) })
}

function limitsOf({ retry, timeout }: Pick<ScheduledJobOptions, 'retry' | 'timeout'>): Pick<QueueOptions, 'retry' | 'timeout'> {
  return { ...(retry !== undefined && { retry }), ...(timeout !== undefined && { timeout }) }
}

/** Classes may have names that a queue cannot have. */
function plainName(text: string): string {
  return text.replace(/[^\w.-]/g, '_').slice(0, 100)
}

/** Returns the faults of the queues and jobs of all plugins. */
export function findJobFaults(plugins: readonly PluginNode[]): Fault[] {
  const queues = plugins.flatMap((plugin) => (plugin.options.providers ?? []).filter(isQueueToken).map((token) => ({ token, plugin })))
  const events = plugins.flatMap((plugin) => (plugin.options.providers ?? []).filter(isEventToken).map((token) => ({ token, plugin })))
  const jobs = plugins.flatMap((plugin) => plugin.jobs)
  return [
    ...queues.flatMap(({ token, plugin }) => findWrongQueue(token, plugin)),
    ...repeated(queues, ({ token }) => token.name).flatMap(([first, second]) =>
      first.token === second.token ? [] : fault('QUEUE_AMBIGUOUS', second.plugin.path, second.token.name, first.plugin.path),
    ),
    ...repeated(
      jobs.filter((job) => job.queue !== undefined),
      (job) => job.queue!.name,
    ).map(([first, second]) => fault('JOB_REPEATED', second.path, first.path, second.queue!.name, second.schedule !== undefined)),
    ...events.flatMap(({ token, plugin }) => findWrongEvent(token, plugin)),
  ]
}

function findWrongQueue(token: QueueToken<any>, { path }: PluginNode): Fault[] {
  const options: unknown = queueOptionsOf(token)
  const place = `queue(${describeValue(token.name)}, …)`
  const ofName = name.holds(token.name)
    ? []
    : [fault('OPTION_INVALID', path, place, describeValue(token.name), 'its name', name.name, "Write queue('mails', { … }).")]
  if (!isObject(options))
    return [...ofName, fault('OPTION_INVALID', path, place, describeValue(options), 'its options', 'an object', 'Write { input: … }.')]
  const { input } = options as QueueOptions
  const ofInput =
    input === undefined
      ? [fault('OPTION_INVALID', path, place, 'undefined', 'input', 'a schema', "Write input: { type: 'object', … }.")]
      : []
  return [...ofName, ...ofInput, ...findWrong(path, place, options, queueKinds, Object.keys(queueKinds))]
}

function findWrongEvent(token: EventToken<any>, { path }: PluginNode): Fault[] {
  const options: unknown = eventOptionsOf(token)
  const place = `domainEvent(${describeValue(token.name)}, …)`
  if (!text.holds(token.name))
    return [
      fault(
        'OPTION_INVALID',
        path,
        place,
        describeValue(token.name),
        'its name',
        text.name,
        "Write domainEvent('user.registered', { … }).",
      ),
    ]
  if (!isObject(options) || (options as EventOptions).payload === undefined)
    return [
      fault('OPTION_INVALID', path, place, describeValue(options), 'its options', 'an object with a payload', 'Write { payload: … }.'),
    ]
  return findWrong(path, place, options, { payload: queueKinds['input']! }, ['payload'])
}

/** Returns each entry whose name an earlier one has, with that one. */
function repeated<T>(entries: readonly T[], nameIn: (entry: T) => string): [first: T, second: T][] {
  const first = new Map<string, T>()
  return entries.flatMap((entry): [T, T][] => {
    const known = first.get(nameIn(entry))
    if (known === undefined) first.set(nameIn(entry), entry)
    return known === undefined ? [] : [[known, entry]]
  })
}
