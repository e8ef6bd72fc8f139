/** The queues of jobs in the wiring: which provider each job takes its jobs from. */
import { JobDriver } from '../../jobs/driver.js'
import { isEventToken } from '../../jobs/event.js'
import { isQueueToken } from '../../jobs/queue.js'
import { type Fault, fault } from '../faults.js'
import type { JobNode, PluginNode } from '../nodes.js'
import { createProviderRecord, createRecord, type Dependency, type ProviderRecord } from '../provider-record.js'
import { type Token, tokenName } from '../../declare/tokens.js'

/**
 * Makes the records of the queues that jobs take from, by job. The queue of a job is resolved as a dependency of its plugin is, so that a
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

/** Makes the records of the events that jobs handle, by job. */
export function createJobEvents(plugins: readonly PluginNode[]): Map<JobNode, ProviderRecord> {
  return new Map(
    plugins
      .flatMap(({ jobs }) => jobs)
      .flatMap((job): [JobNode, ProviderRecord][] => (job.event === undefined ? [] : [[job, recordOfUse(job, job.event.on)]])),
  )
}

/** Makes the record of a value that a job takes, as if the job class had injected it. */
function recordOfUse({ Class, plugin }: JobNode, token: Token<any>): ProviderRecord {
  const tokens = [{ token, isOptional: false }]
  return createRecord(plugin, { kind: 'factory', token: Class, source: (value: unknown) => value, tokens, isOwned: false })
}

/** Returns the jobs that handle each event, by the provider of the event, in the order of the tree. */
export function handlersOf(jobEvents: ReadonlyMap<JobNode, ProviderRecord>): Map<ProviderRecord, JobNode[]> {
  const handlers = new Map<ProviderRecord, JobNode[]>()
  for (const [job, { dependencies }] of jobEvents) {
    const provider = dependencies[0] && providerIn(dependencies[0])
    if (provider !== undefined) handlers.set(provider, [...(handlers.get(provider) ?? []), job])
  }
  return handlers
}

/**
 * Returns the faults of events that nothing emits or that nothing handles.
 * @param providers the providers of all plugins
 * @param injecting the records of everything that may inject an event
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
 * Returns the faults of queues whose jobs would be kept in memory although nothing takes them.
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
