/** The queues of jobs in the wiring: which provider each job takes its jobs from. */
import { JobDriver } from '../../jobs/driver.js'
import { isQueueToken } from '../../jobs/queue.js'
import { type Fault, fault } from '../faults.js'
import type { JobNode, PluginNode } from '../nodes.js'
import { createProviderRecord, createRecord, type Dependency, type ProviderRecord } from '../provider-record.js'
import { tokenName } from '../../declare/tokens.js'

/**
 * Makes the records of the queues that jobs take from, by job. The queue of a job is resolved as a dependency of its plugin is, so that a
 * queue which the plugin does not see is a fault.
 */
export function createJobQueues(plugins: readonly PluginNode[], found: Fault[]): Map<JobNode, ProviderRecord> {
  return new Map(
    plugins.flatMap(({ jobs }) => jobs).map((job) => [job, job.schedule === undefined ? recordOfUse(job) : recordOfSchedule(job, found)]),
  )
}

function recordOfUse({ Class, plugin, queue: token }: JobNode): ProviderRecord {
  const tokens = [{ token, isOptional: false }]
  return createRecord(plugin, { kind: 'factory', token: Class, source: (queue: unknown) => queue, tokens, isOwned: false })
}

// The provider of a queue that `queue` made has no faults of its own.
function recordOfSchedule({ plugin, queue }: JobNode, found: Fault[]): ProviderRecord {
  return createProviderRecord(queue, plugin, found)!
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
