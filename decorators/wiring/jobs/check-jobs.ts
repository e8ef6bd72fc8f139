/** Finds faults of queues, events and jobs, such as two jobs that take from the same queue. */
import { isObject } from '../../../lib/internal.js'
import { type EventOptions, eventOptionsOf, type EventToken, isEventToken } from '../../jobs/event.js'
import { isQueueToken, type QueueOptions, queueOptionsOf, type QueueToken } from '../../jobs/queue.js'
import { type Fault, fault } from '../faults.js'
import type { PluginNode } from '../nodes.js'
import { describeValue } from '../value-names.js'
import { findWrong, name, queueKinds, text } from './job-kinds.js'

/** Returns the faults of the queues, events and jobs of all plugins. */
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
    ).map(([first, second]) =>
      fault('JOB_REPEATED', second.path, first.path, second.queue!.name, second.schedule !== undefined, first.Class === second.Class),
    ),
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
  return [...ofName, ...ofInput, ...findWrong(path, place, options, queueKinds)]
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
  return findWrong(path, place, options, { payload: queueKinds['input']! })
}

/** Returns a pair for each entry whose name an earlier entry has: the earlier entry, and this entry. */
function repeated<T>(entries: readonly T[], nameIn: (entry: T) => string): [first: T, second: T][] {
  const first = new Map<string, T>()
  return entries.flatMap((entry): [T, T][] => {
    const known = first.get(nameIn(entry))
    if (known === undefined) first.set(nameIn(entry), entry)
    return known === undefined ? [] : [[known, entry]]
  })
}
