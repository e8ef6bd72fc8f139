/** Connects jobs to the providers of their queues and events. */
import { JobDriver } from '../../jobs/driver.js'
import { isEventToken } from '../../jobs/event.js'
import { isQueueToken } from '../../jobs/queue.js'
import { type Fault, fault } from '../faults.js'
import type { JobNode, PluginNode } from '../nodes.js'
import { createProviderRecord, createRecord, type Dependency, type ProviderRecord } from '../provider-record.js'
import { type Token, tokenName } from '../../declare/tokens.js'

/**
 * Returns a map from each job to the provider record of its queue. The queue is resolved as a dependency of the job's plugin, so that a
 * queue which the plugin does not see is a fault.
 */
export function createJobQueues(plugins: readonly PluginNode[], found: Fault[]): Map<JobNode, ProviderRecord> {
  return new Map(
    plugins
      .flatMap(({ jobs }) => jobs)
      .flatMap((job): [JobNode, ProviderRecord][] => {
        const { queue, plugin } = job
        if (queue === undefined) return []
        const isOwn = job.schedule !== undefined || job.event !== undefined
        // The provider of a queue that `queue` made has no faults of its own.
        return [[job, isOwn ? createProviderRecord(queue, plugin, found)! : recordOfUse(job, queue)]]
      }),
  )
}

/** Returns a map from each job to the provider record of the event that the job handles. */
export function createJobEvents(plugins: readonly PluginNode[]): Map<JobNode, ProviderRecord> {
  return new Map(
    plugins
      .flatMap(({ jobs }) => jobs)
      .flatMap((job): [JobNode, ProviderRecord][] => (job.event === undefined ? [] : [[job, recordOfUse(job, job.event.on)]])),
  )
}

/** Creates a provider record for a job that depends on the token, as if the job class injected it. */
function recordOfUse({ Class, plugin }: JobNode, token: Token<any>): ProviderRecord {
  const tokens = [{ token, isOptional: false }]
  return createRecord(plugin, { kind: 'factory', token: Class, source: (value: unknown) => value, tokens, isOwned: false })
}

/** Returns a map from the provider of each event to the jobs that handle the event, in the order of the module tree. */
export function handlersOf(jobEvents: ReadonlyMap<JobNode, ProviderRecord>): Map<ProviderRecord, JobNode[]> {
  const handlers = new Map<ProviderRecord, JobNode[]>()
  for (const [job, { dependencies }] of jobEvents) {
    const provider = dependencies[0] && providerIn(dependencies[0])
    if (provider !== undefined) handlers.set(provider, [...(handlers.get(provider) ?? []), job])
  }
  return handlers
}

/**
 * Returns the faults of events without an emitter or without a handler.
 * @param providers the providers of all plugins
 * @param injecting the records of all providers and classes that may inject an event to emit it
 */
export function findIdleEvents(
  providers: readonly ProviderRecord[],
  injecting: readonly ProviderRecord[],
  jobEvents: ReadonlyMap<JobNode, ProviderRecord>,
): Fault[] {
  const events = providers.filter(({ token, kind }) => isEventToken(token) && kind === 'factory')
  if (events.length === 0) return []
  const emitted = new Set(injecting.flatMap(({ dependencies }) => dependencies.map(providerIn)))
  const handlers = handlersOf(jobEvents)
  return events.flatMap((record) => {
    const name = tokenName(record.token)
    const handling = handlers.get(record)
    if (handling === undefined) return fault('EVENT_UNHANDLED', record.plugin.path, name)
    return emitted.has(record) ? [] : fault('EVENT_UNEMITTED', record.plugin.path, name, handling[0]!.path)
  })
}

/**
 * Returns the faults of queues in memory whose jobs would pile up because no job class takes them.
 * @param providers the providers of all plugins
 */
export function findUntakenQueues(providers: Iterable<ProviderRecord>, jobQueues: ReadonlyMap<JobNode, ProviderRecord>): Fault[] {
  const taken = new Set([...jobQueues.values()].flatMap(({ dependencies }) => dependencies.map(providerIn)))
  return [...providers]
    .filter((record) => isQueueToken(record.token) && record.kind === 'factory' && isInMemory(record) && !taken.has(record))
    .map(({ token, plugin }) => fault('QUEUE_UNTAKEN', plugin.path, tokenName(token)))
}

function providerIn(dependency: Dependency): ProviderRecord | undefined {
  return 'provider' in dependency ? dependency.provider : undefined
}

function isInMemory({ dependencies }: ProviderRecord): boolean {
  return dependencies.some((dependency) => dependency.token === JobDriver && 'missing' in dependency)
}
