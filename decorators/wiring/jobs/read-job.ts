/** Reads the jobs of a plugin from their classes. A job that cannot be read is a fault and is left out. */
import { isObject, MAX_TIMEOUT_MS, suggestName } from '../../../lib/internal.js'
import type { Class } from '../../declare/metadata.js'
import { problemOfCron } from '../../jobs/cron.js'
import { getJobOptions, type JobOptions, knownJobOptions, type ScheduledJobOptions } from '../../jobs/job.js'
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
  const triggers = isObject(options) ? (['queue', 'every', 'cron'] as const).filter((key) => key in options) : []
  const [trigger] = triggers
  if (trigger === undefined || triggers.length > 1) {
    found.push(fault('JOB_TRIGGER_INVALID', path, triggers))
    return []
  }
  const wrong = findWrong(path, '@Job', options as object, jobKinds, knownJobOptions[trigger])
  if (typeof JobClass.prototype?.run !== 'function') wrong.push(fault('JOB_WITHOUT_RUN', path))
  const { cron, timezone } = options as ScheduledJobOptions
  const problem = wrong.length === 0 && cron !== undefined ? problemOfCron(cron, timezone) : undefined
  if (problem !== undefined) wrong.push(fault('CRON_INVALID', path, cron!, problem))
  found.push(...wrong)
  return wrong.length > 0 ? [] : [createNode(JobClass, path, plugin, options as JobOptions)]
}

function createNode(JobClass: Class, path: string, plugin: PluginNode, options: JobOptions): JobNode {
  const { concurrency = 1 } = options
  const node = { Class: JobClass, path, plugin, concurrency }
  if ('queue' in options) return { ...node, queue: options.queue, schedule: undefined }
  return { ...node, queue: queueOfSchedule(options, nameOf(JobClass)), schedule: options }
}

/** The input of a job that runs at times. */
const occurrence = { type: 'object', required: ['at'], properties: { at: { type: 'string', format: 'date-time' } } } as const

/** Makes the queue of a job that runs at times. All processes have the same one, so that one of them does the job. */
function queueOfSchedule(options: ScheduledJobOptions, className: string): QueueToken<{ at: string }> {
  return queue(`schedule.${(options.name ?? className).replace(/[^\w.-]/g, '_')}`, {
    input: occurrence,
    ...(options.retry !== undefined && { retry: options.retry }),
    ...(options.timeout !== undefined && { timeout: options.timeout }),
  })
}

/** Returns the faults of the queues and jobs of all plugins. */
export function findJobFaults(plugins: readonly PluginNode[]): Fault[] {
  const queues = plugins.flatMap((plugin) => (plugin.options.providers ?? []).filter(isQueueToken).map((token) => ({ token, plugin })))
  const jobs = plugins.flatMap((plugin) => plugin.jobs)
  return [
    ...queues.flatMap(({ token, plugin }) => findWrongQueue(token, plugin)),
    ...repeated(queues, ({ token }) => token.name).flatMap(([first, second]) =>
      first.token === second.token ? [] : fault('QUEUE_AMBIGUOUS', second.plugin.path, second.token.name, first.plugin.path),
    ),
    ...repeated(jobs, ({ queue: { name: taken } }) => taken).map(([first, second]) =>
      fault('JOB_REPEATED', second.path, first.path, second.queue.name, second.schedule !== undefined),
    ),
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

/** Returns each entry whose name an earlier one has, with that one. */
function repeated<T>(entries: readonly T[], nameIn: (entry: T) => string): [first: T, second: T][] {
  const first = new Map<string, T>()
  return entries.flatMap((entry): [T, T][] => {
    const known = first.get(nameIn(entry))
    if (known === undefined) first.set(nameIn(entry), entry)
    return known === undefined ? [] : [[known, entry]]
  })
}
