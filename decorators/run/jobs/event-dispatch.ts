/** Passes an event to the jobs that handle it: within the emitting request, after it, or through a queue. */
import type { RequestOutcome, Server } from '../../../lib/index.js'
import { beginBackgroundWork, randomUUID } from '../../../lib/internal.js'
import type { Dispatch, EmitOptions } from '../../jobs/event.js'
import type { JobRun } from '../../jobs/job.js'
import { DrivenQueue } from '../../jobs/queue.js'
import type { JobNode } from '../../wiring/nodes.js'
import type { UnitScope } from '../scopes/unit-scope.js'
import type { JobHost, JobRunner } from './job-runner.js'

/** The operations with which events reach their handlers in an application. */
export interface EventHost extends JobHost {
  /** Returns the scope of the current request or other work; `undefined` if there is none. */
  currentUnit(): UnitScope | undefined
  /** Returns the instance of a job class in a scope. */
  instanceIn(unit: UnitScope, job: JobNode): unknown
  /** Returns the server instance of the plugin that lists a job. */
  serverOf(job: JobNode): Server
}

/** Makes the function that passes an event to its handlers, in the order of the module tree. */
export function createDispatch(host: EventHost, runner: JobRunner, handlers: readonly JobNode[]): Dispatch {
  const doneNow = handlers.filter(({ event }) => event!.when === 'now')
  const queued = handlers.filter(({ event }) => event!.when === 'queue')
  const doneLater = handlers.filter(({ event }) => event!.when === 'later')
  return async (payload, check, options) => {
    const unit = host.currentUnit()
    for (const job of doneNow) await (unit === undefined ? runner.run(job, payload) : runIn(unit, job, host, await check(payload)))
    for (const job of queued) await add(job, host, payload, options)
    for (const job of doneLater) runAfter(unit, job, host, runner, payload)
  }
}

/** Runs a job within the scope of the emitting request. */
async function runIn(unit: UnitScope, job: JobNode, host: EventHost, input: unknown): Promise<void> {
  const instance = (await host.instanceIn(unit, job)) as { run(given: JobRun): unknown }
  const given = {
    id: randomUUID(),
    input,
    attempt: 1,
    scheduledAt: undefined,
    log: unit.log,
    // The signal of a request is made when it is first read.
    get signal() {
      return unit.signal
    },
  }
  await instance.run(given)
}

async function add(job: JobNode, host: EventHost, payload: unknown, options: EmitOptions): Promise<void> {
  const queue = await host.queueOf(job)
  if (queue instanceof DrivenQueue) await queue.add(payload, options)
}

/** Runs a job after the emitting request has completed, or at once if there is no current request or work. */
function runAfter(unit: UnitScope | undefined, job: JobNode, host: EventHost, runner: JobRunner, input: unknown): void {
  // A closing server waits for the job, also for one that has not begun yet. So does a function of AWS Lambda, because it may be frozen
  // when it has answered.
  const work = { label: `the job ${job.path}`, isOfRequest: true, askToEnd: () => {}, abandon: async () => {} }
  const release = beginBackgroundWork(host.serverOf(job), work)
  if (release === undefined) return host.log.error(`${job.path} is left out: the server has closed`)
  const end = ({ kind }: Pick<RequestOutcome, 'kind'>): void => {
    const isLeftOut = kind !== 'completed'
    const running = isLeftOut ? Promise.resolve() : runner.run(job, input)
    running.catch((error: unknown) => host.log.error({ err: error }, `${job.path} failed`)).finally(release)
  }
  if (unit === undefined) end({ kind: 'completed' })
  else unit.whenEnded(end)
}
