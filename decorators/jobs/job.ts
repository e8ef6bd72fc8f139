/** `@Job`: a class whose `run` is called for each job of a queue, on a schedule, or for an event. */
import type { Logger } from '../../lib/index.js'
import { addMetadata, type Class, getOwnMetadata, metadataKey } from '../declare/metadata.js'
import type { WronglyInjected } from '../declare/proofs.js'
import type { RetryOptions } from './driver.js'
import type { EventToken } from './event.js'
import type { QueueToken } from './queue.js'

/** The argument of a job's `run`: the input, and facts about this attempt. */
export interface JobRun<Q = unknown> {
  /** The input, typed by the schema of the queue or event. `undefined` for a scheduled job. */
  readonly input: Q extends QueueToken<infer T> ? T : Q extends EventToken<infer E> ? E : Q
  /** The id of the job. It stays the same if the job is tried again, so that `run` can detect work that was done before. */
  readonly id: string
  /** The number of the attempt: 1 for the first. */
  readonly attempt: number
  /** The planned time of a scheduled job; `undefined` for other jobs. */
  readonly scheduledAt: Date | undefined
  /** A logger that adds the name and the id of the job to each line. */
  readonly log: Logger
  /** A signal that is aborted when the server begins to close, or when the job takes longer than its timeout. */
  readonly signal: AbortSignal
}

/** The options of a job that handles the entries of a queue. */
export interface QueueJobOptions<Q = QueueToken<any>> {
  /** The queue. Its provider must be visible to the plugin that lists the job. */
  readonly queue: Q
  /** How many jobs of the queue this process runs at a time, without those that took too long and still run. Default 1. */
  readonly concurrency?: number
}

/** The options of a job that runs on a schedule. */
export interface ScheduledJobOptions {
  /** The time between two runs, in ms. Runs start at whole multiples since 1970, so that all processes agree. */
  readonly every?: number
  /** The times as a cron pattern, with seconds if there are six fields: `'0 3 * * *'`. Needs the package `croner`. */
  readonly cron?: string
  /** The time zone of `cron`: `'Europe/Berlin'`. Default: the time zone of the process. */
  readonly timezone?: string
  /** The name of the schedule, by which all processes find the same schedule. Default: the name of the class. */
  readonly name?: string
  /** Whether a run is left out while the previous run is not over (`skip`), or added as well (`allow`). Default `skip`. */
  readonly overlap?: 'skip' | 'allow'
  /** How many runs this process does at a time, with `overlap: 'allow'`. Default 1: further runs wait. */
  readonly concurrency?: number
  /** How often and when a failed run is tried again. Default: never. */
  readonly retry?: RetryOptions
  /** The time that one attempt may take, in ms. After this time the attempt counts as failed. Default 60,000. */
  readonly timeout?: number
}

/** The options of a job that handles an event. */
export interface EventJobOptions<E = EventToken<any>> {
  /** The event. Its provider must be visible to the plugin that lists the job. */
  readonly on: E
  /**
   * `now`: `emit` waits for the job, which shares the request-scoped providers of the request that emits; if it fails, `emit` fails.
   * `later`: the job runs in a separate scope after the request has completed, but not if the request has failed or its client has left;
   * the job is lost if the process ends. `queue`: the job is added to a queue that alcove makes for it, and stored by the nearest visible
   * `JobDriver`, or else in memory.
   */
  readonly when: 'now' | 'later' | 'queue'
  /** How many jobs this process runs at a time, with `when: 'queue'`. Default 1. */
  readonly concurrency?: number
  /** How often and when a failed job is tried again, with `when: 'queue'`. Default: never. */
  readonly retry?: RetryOptions
  /** The time that the job may take, in ms, with `when: 'later'` or `'queue'`. After this time the job counts as failed. Default 60,000. */
  readonly timeout?: number
}

/** The options of {@link Job}. */
export type JobOptions = QueueJobOptions | ScheduledJobOptions | EventJobOptions

const kJob = metadataKey<JobOptions>({ decorator: '@Job', standsOn: ['job'], place: 'above a class that a plugin lists in jobs' })

/** The known options of {@link Job}, by the option that triggers the job (`queue`, `every`, `cron` or `on`). */
export const knownJobOptions = {
  queue: ['queue', 'concurrency'],
  every: ['every', 'name', 'overlap', 'concurrency', 'retry', 'timeout'],
  on: ['on', 'when', 'concurrency', 'retry', 'timeout'],
  cron: ['cron', 'timezone', 'name', 'overlap', 'concurrency', 'retry', 'timeout'],
} as const

type CheckedJob<C, O> = [WronglyInjected<C>] extends [never]
  ? C extends Class<{ run: (job: infer R) => unknown }>
    ? [JobRun<O extends { readonly queue: infer Q } ? Q : O extends { readonly on: infer E } ? E : undefined>] extends [R]
      ? unknown
      : { error: 'run takes another input than the queue has: write run(job: JobRun<typeof QUEUE>)'; taken: R }
    : C extends Class<{ run: () => unknown }>
      ? unknown
      : { error: 'a class with @Job needs a method run(job)' }
  : { error: 'static inject of the job does not fit its constructor' }

/** The decorator that {@link Job} returns. */
export interface JobDecorator<O> {
  <C extends Class>(target: C & CheckedJob<C, O>, context?: unknown): C
}

/**
 * Makes a class a job, which a plugin lists in `jobs`. Dependencies are injected as into a route class. Each call of `run` has a separate
 * scope, and a closing server waits for the call.
 * ```ts
 * @Job({ queue: MAILS, concurrency: 5 })
 * class SendMail {
 *   static readonly inject = [Mailer] as const
 *   constructor(private readonly mailer: Mailer) {}
 *   async run({ input, signal }: JobRun<typeof MAILS>) { await this.mailer.send(input.to, signal) }
 * }
 *
 * @Job({ cron: '0 3 * * *', timezone: 'Europe/Berlin' })
 * class CleanUp {
 *   async run() { … }
 * }
 *
 * @Plugin({ providers: [Mailer, MAILS], jobs: [SendMail, CleanUp] })
 * class Mails {}
 * ```
 * Jobs run while the server listens, or after `server.startJobs()`. A job may run more than once; `id` stays the same.
 * docs/how-to/schedule-and-queue.md shows more.
 */
export function Job<const O extends JobOptions>(options: O): JobDecorator<O> {
  return (...args: unknown[]) => addMetadata(args, kJob, options)
}

/** Returns the options of `@Job`; `undefined` for a class without this decorator. */
export function getJobOptions(JobClass: object): JobOptions | undefined {
  return getOwnMetadata(JobClass, kJob)
}
