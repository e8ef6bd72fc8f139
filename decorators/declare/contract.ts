/** The replies that a hook class, a handler class or a plugin class declares: `static responses` and `static security`. */
import type { Contract } from '../../lib/index.js'
import { contractOf, type PluginContract } from '../../lib/internal.js'
import type { Class } from './metadata.js'
import { getSharedSchema } from './schema.js'

const contracts = new WeakMap<object, Contract>()

/**
 * Returns the contract (declared responses and security) of a class, or of a function that `withContract` made; `undefined` if there is
 * none. Classes that are given as schemas are replaced by their shared schemas. A class has one contract object, however often the class is
 * listed.
 */
export function getContract(given: unknown): Contract | undefined {
  if (typeof given !== 'function') return undefined
  let contract = contracts.get(given)
  if (contract !== undefined) return contract
  const { responses, security } = contractOf(given) ?? (given as Class & Contract)
  if (responses === undefined && security === undefined) return undefined
  contract = { ...(responses !== undefined && { responses: withSchemas(responses) }), ...(security !== undefined && { security }) }
  contracts.set(given, contract)
  return contract
}

/** Returns the contract in the third argument of `use`. Classes that are given as schemas are replaced by their shared schemas. */
export function readContractOfImport({ responses, security, docs }: PluginContract): PluginContract {
  return {
    ...(responses !== undefined && { responses: withSchemas(responses) }),
    ...(security !== undefined && { security }),
    ...(docs !== undefined && { docs }),
  }
}

/** Returns the responses with each class replaced by its shared schema. */
function withSchemas(responses: NonNullable<Contract['responses']>): NonNullable<Contract['responses']> {
  return Object.fromEntries(Object.entries(responses).map(([status, entry]) => [status, withSchema(entry)]))
}

function withSchema(entry: unknown): unknown {
  if (typeof entry === 'function') return getSharedSchema(entry) ?? entry
  const { content } = (entry ?? {}) as { content?: Record<string, { schema?: unknown } | undefined> }
  if (content === null || typeof content !== 'object') return entry
  const types = Object.entries(content).map(([type, given]) => [
    type,
    given?.schema ? { ...given, schema: withSchema(given.schema) } : given,
  ])
  return { ...(entry as object), content: Object.fromEntries(types) }
}
