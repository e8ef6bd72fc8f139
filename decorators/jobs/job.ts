/** `@Job`: a class whose `run` is called for the jobs of a queue, at times, or for an event. */
import type { Logger } from '../../lib/index.js'
import { addMetadata, type Class, getOwnMetadata, metadataKey } from '../declare/metadata.js'
import type { WronglyInjected } from '../declare/proofs.js'
import type { RetryOptions } from './driver.js'
import type { EventToken } from './event.js'
import type { QueueToken } from './queue.js'

/** What `run` of a job gets: the input, and facts of this attempt. */
export interface JobRun<Q = unknown> {
  /** The input, as the schema of the queue or the event describes it. `undefined` for a job that runs at times. */
  readonly input: Q extends QueueToken<infer T> ? T : Q extends EventToken<infer E> ? E : Q
  /** The id of the job. It stays the same if the job is done again, so it tells what was done already. */
  readonly id: string
  /** 1 for the first attempt. */
  readonly attempt: number
  /** When the job was to be done, for a job that runs at times. */
  readonly scheduledAt: Date | undefined
  /** A logger whose lines have the name and the id of the job. */
  readonly log: Logger
  /** A signal that is aborted when the server begins to close, or when the job takes longer than its timeout. */
  readonly signal: AbortSignal
}

/** The options of a job that does what a queue holds. */
export interface QueueJobOptions<Q = QueueToken<any>> {
  /** The queue. The plugin must see its provider. */
  readonly queue: Q
  /** How many jobs this process does at a time. Default 1. */
  readonly concurrency?: number
}

/** The options of a job that runs at times. */
export interface ScheduledJobOptions {
  /** ms from one run to the next: at whole multiples since 1970, so that all processes agree. */
  readonly every?: number
  /** The times as a pattern of cron, with seconds if it has six fields: `'0 3 * * *'`. It needs the package `croner`. */
  readonly cron?: string
  /** The time zone of `cron`: `'Europe/Berlin'`. Default: the time zone of the process. */
  readonly timezone?: string
  /** The name of the schedule, which all processes share. Default: the name of the class. */
  readonly name?: string
  /** `skip`: a run is left out if the one before is not over. `allow`: it is done as well. Default `skip`. */
  readonly overlap?: 'skip' | 'allow'
  /** How many runs this process does at a time, with `overlap: 'allow'`. Default 1: the others wait. */
  readonly concurrency?: number
  /** How often a run that has failed is done again. Default: not at all. */
  readonly retry?: RetryOptions
  /** ms that one attempt may take; after that it counts as failed. Default 60,000. */
  readonly timeout?: number
}

/** The options of a job that handles an event. */
export interface EventJobOptions<E = EventToken<any>> {
  /** The event. The plugin must see its provider. */
  readonly on: E
  /**
   * `now`: `emit` waits for the job, which shares the request-scoped providers of the request that emits; if it fails, `emit` fails.
   * `later`: the job is done in a scope of its own after the request has completed, and not at all if it has failed; it is lost if the
   * process ends. `queue`: the job is added to a queue of its own, which the nearest visible `JobDriver` keeps.
   */
  readonly when: 'now' | 'later' | 'queue'
  /** With `when: 'queue'`: how many jobs this process does at a time. Default 1. */
  readonly concurrency?: number
  /** With `when: 'queue'`: how often a job that has failed is done again. Default: not at all. */
  readonly retry?: RetryOptions
  /** ms that the job may take with `when: 'later'` or `'queue'`; after that it counts as failed. Default 60,000. */
  readonly timeout?: number
}

/** The options of {@link Job}. */
export type JobOptions = QueueJobOptions | ScheduledJobOptions | EventJobOptions

const kJob = metadataKey<JobOptions>({ decorator: '@Job', standsOn: ['job'], place: 'above a class that a plugin lists in jobs' })

/** The names of the options of {@link Job}, by the option that says when the job is done. */
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
 * Makes a class a job, which a plugin lists in `jobs`. Its dependencies are injected as those of a route are. `run` is called in a scope of
 * its own, and a server that closes waits for it.
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
 * Jobs run while the server listens, or after `server.startJobs()`. A job may be done more than once: its `id` tells. docs/how-to/schedule-and-queue.md
 * shows more.
 */
export function Job<const O extends JobOptions>(options: O): JobDecorator<O> {
  return (...args: unknown[]) => addMetadata(args, kJob, options)
}

/** Returns the options of `@Job`; `undefined` for a class without it. */
export function getJobOptions(JobClass: object): JobOptions | undefined {
  return getOwnMetadata(JobClass, kJob)
}
