/**
 * The command `alcove diff`: says whether a new version of an application still serves the clients of an old version. Nothing is started.
 */
import { compareOperations } from '../contract/compare/operations.js'
import { type Change, type ComparedRoute, worstOf } from '../contract/compare/compare-types.js'
import type { Contract } from '../contract/document/contract-types.js'
import { Generator } from '../contract/document/generator.js'
import { SchemaComparison } from '../contract/subsumption/compare.js'
import { compareLockedRoutes, reviewOf, withBodyLimits } from './diff/locks.js'
import { exitCodes, type DiffReport } from './diff/report.js'
import { readState, type State, type StateArguments, workingCopyOf } from './diff/states.js'
import { reportMarkdown, reportText } from './diff/texts.js'
import { UsageError } from './modules.js'

export interface DiffArguments extends StateArguments {
  readonly markdown?: boolean | undefined
  /** Whether requests and replies may have members that the schemas do not name. */
  readonly strict?: boolean | undefined
  readonly seed?: string | undefined
}

/** Compares two versions of an application, and prints the result. @returns the exit code */
export async function printDiff(old: string, other: string | undefined, given: DiffArguments): Promise<number> {
  const report = await reportDiff(old, other, given)
  console.log(given.markdown === true ? reportMarkdown(report) : reportText(report))
  return exitCodes[report.answer]
}

/** Compares two versions of an application. @throws UsageError if a version cannot be read, or if the two have nothing to compare */
export async function reportDiff(old: string, other: string | undefined, given: DiffArguments): Promise<DiffReport> {
  const seed = readSeed(given.seed)
  const place = other ?? workingCopyOf(old)
  const [before, after] = [await readState(old, given), await readState(place, given)]
  const generator = await loadGenerator()
  const { routes: compared, changes } = await compareStates(before, after, { ...given, seed, generator })
  const routes = before.lock && after.lock ? withBodyLimits(compared, before.lock, after.lock) : compared
  return {
    version: 1,
    answer: worstOf([...routes, ...changes].map(({ answer }) => answer)),
    old,
    new: place,
    changes,
    routes,
    review: before.lock && after.lock ? reviewOf(before.lock, after.lock) : [],
    notes: [...notesOf('old', before), ...notesOf('new', after)],
    generates: generator !== undefined,
  }
}

function readSeed(given: string | undefined): number {
  const seed = Number(given ?? 1)
  if (!Number.isInteger(seed) || seed < 0) throw new UsageError(`--seed is a whole number, not ${given}.`)
  return seed
}

/** Loads json-schema-faker, if it is installed. */
async function loadGenerator(): Promise<Generator | undefined> {
  try {
    return await Generator.load('alcove diff')
  } catch (error) {
    if ((error as { code?: string }).code === 'ALC_ERR_PEER_MISSING') return undefined
    throw error
  }
}

interface Compared {
  readonly routes: readonly ComparedRoute[]
  readonly changes: readonly Change[]
}

interface ComparisonOptions {
  readonly strict?: boolean | undefined
  readonly seed: number
  readonly generator: Generator | undefined
}

async function compareStates(old: State, other: State, options: ComparisonOptions): Promise<Compared> {
  if (old.contract && other.contract) return compareContracts(old.contract, other.contract, options)
  if (old.lock && other.lock) return { routes: compareLockedRoutes(old.lock, other.lock, new Date()), changes: [] }
  throw new UsageError('A lock is compared with a lock or with a built module, not with an OpenAPI document: they say different things.')
}

async function compareContracts(old: Contract, other: Contract, { strict = false, seed, generator }: ComparisonOptions): Promise<Compared> {
  const comparison = await SchemaComparison.create({ old: old.schemas, new: other.schemas }, { strict, seed, generator })
  const gone = old.servers.filter(({ url }) => other.servers.length > 0 && !other.servers.some((server) => server.url === url))
  return {
    routes: compareOperations(old, other, comparison, new Date()),
    changes: gone.map(({ url }) => ({ part: 'servers', answer: 'unknown', reason: `${url} is no longer listed` })),
  }
}

function notesOf(state: 'old' | 'new', { contract }: State): DiffReport['notes'] {
  return (contract?.notes ?? []).map((note) => ({ state, ...note }))
}
