/** Reads the jobs of a plugin from their classes. An invalid job class is a fault and is left out. */
import { isObject } from '../../../lib/internal.js'
import type { Class } from '../../declare/metadata.js'
import { problemOfCron } from '../../jobs/cron.js'
import { eventOptionsOf } from '../../jobs/event.js'
import { type EventJobOptions, getJobOptions, type JobOptions, knownJobOptions, type ScheduledJobOptions } from '../../jobs/job.js'
import { queue, type QueueOptions, type QueueToken } from '../../jobs/queue.js'
import { type Fault, fault } from '../faults.js'
import type { JobNode, PluginNode } from '../nodes.js'
import { nameOf } from '../value-names.js'
import { findWrong, jobKinds } from './job-kinds.js'

/** Reads a job class of a plugin. Returns an empty list, and adds faults to `found`, if the class is invalid. */
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
    ...findWrong(path, '@Job', options as object, jobKinds, [...knownJobOptions[trigger]]),
    ...findIdleOptions(path, options as JobOptions),
  ]
  if (typeof JobClass.prototype?.run !== 'function') wrong.push(fault('JOB_WITHOUT_RUN', path))
  const { cron, timezone } = options as ScheduledJobOptions
  const problem = wrong.length === 0 && cron !== undefined ? problemOfCron(cron, timezone) : undefined
  if (problem !== undefined) wrong.push(fault('CRON_INVALID', path, cron!, problem))
  found.push(...wrong)
  return wrong.length > 0 ? [] : [createNode(JobClass, path, plugin, options as JobOptions)]
}

/** Returns the faults of a job for an event: options that have no effect with its `when`, and a missing `when`. */
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

/** The schema of the input of a scheduled job. */
const occurrence = { type: 'object', required: ['at'], properties: { at: { type: 'string', format: 'date-time' } } } as const

/** Makes the queue of a scheduled job. All processes have the same queue, so that only one process runs the job. */
function queueOfSchedule(options: ScheduledJobOptions, className: string): QueueToken<{ at: string }> {
  return queue(plainName(`schedule.${options.name ?? className}`), { input: occurrence, ...limitsOf(options) })
}

/** Makes the queue of a job that handles an event with `when: 'queue'`. */
function queueOfEvent(options: EventJobOptions, className: string): QueueToken<any> {
  return queue(plainName(`event.${options.on.name}.${className}`), { input: eventOptionsOf(options.on)?.payload, ...limitsOf(options) })
}

function limitsOf({ retry, timeout }: Pick<ScheduledJobOptions, 'retry' | 'timeout'>): Pick<QueueOptions, 'retry' | 'timeout'> {
  return { ...(retry !== undefined && { retry }), ...(timeout !== undefined && { timeout }) }
}

/** Returns a text with the characters and the length that a queue's name may have, because class names may have others. */
function plainName(text: string): string {
  return text.replace(/[^\w.-]/g, '_').slice(0, 100)
}
