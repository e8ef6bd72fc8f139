/** The texts of faults of jobs, queues and events. */
import { at } from './text.js'

export const jobFaults = {
  NOT_A_JOB: (entry: string, path: string) =>
    at(
      path,
      `${path} lists ${entry} among its jobs, but it is not a job.`,
      'Write @Job({ queue }) or @Job({ cron }) above a class with run().',
    ),
  JOB_WITHOUT_RUN: (path: string) => at(path, `${path} has no method run(job).`, 'A class with @Job does its work there.'),
  JOB_TRIGGER_INVALID: (path: string, given: readonly string[]) =>
    at(
      path,
      given.length === 0
        ? `${path}: @Job does not say when the job is done.`
        : `${path}: @Job has ${given.join(' and ')}, but a job can have only one of them.`,
      'Write queue for what a queue holds, every for a time between two runs (ms), cron for times of the day, or on for an event.',
    ),
  CRON_INVALID: (path: string, pattern: string, problem: string) =>
    at(
      path,
      `${path}: @Job has the cron '${pattern}', which cannot be used: ${problem}.`,
      "Write a pattern such as cron: '0 3 * * *' and a time zone such as timezone: 'Europe/Berlin'.",
    ),
  /** @param isSameClass whether one job class is listed twice, for example by a plugin that is imported twice */
  JOB_REPEATED: (path: string, other: string, queue: string, isScheduled: boolean, isSameClass = false) => {
    const once = 'List the class in one plugin that is imported once.'
    return isScheduled
      ? at(
          path,
          `${path} and ${other} have the same schedule '${queue}'.`,
          isSameClass ? once : "Give one of them another name: @Job({ cron, name: '…' }).",
        )
      : at(
          path,
          `${path} and ${other} both do the jobs of '${queue}': each job would be done by one of them only.`,
          isSameClass ? once : 'Keep one of them, or give each a queue.',
        )
  },
  QUEUE_AMBIGUOUS: (path: string, name: string, other: string) =>
    at(path, `${path} and ${other} provide two queues with the name '${name}'.`, 'Import the same queue in both places, or rename one.'),
  EVENT_UNHANDLED: (path: string, name: string) =>
    at(
      path,
      `${path} provides the event '${name}', which no job handles.`,
      'List a class with @Job({ on, when }) in jobs of a plugin that sees the event, or take the event out.',
    ),
  EVENT_UNEMITTED: (path: string, name: string, handler: string) =>
    at(
      path,
      `${path} provides the event '${name}', which ${handler} handles but no class emits.`,
      'Inject it where it happens, and call emit; or take the event and its jobs out.',
    ),
  QUEUE_UNTAKEN: (path: string, name: string) =>
    at(
      path,
      `${path} provides the queue '${name}', whose jobs are kept in memory, but no job does them.`,
      'List a class with @Job({ queue }) in jobs, or provide a JobDriver, so that another application can do them.',
    ),
} as const
