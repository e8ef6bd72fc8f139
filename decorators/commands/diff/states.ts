/**
 * Reads a state of an application: an OpenAPI document, a lock or a built module; of files in a repository also as a revision of git has
 * them.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Contract } from '../../contract/document/contract-types.js'
import { readContract } from '../../contract/document/read.js'
import { ContractError } from '../../contract/document/source.js'
import type { Lock } from '../../lock/lock-types.js'
import { makeLock } from '../../lock/make-lock.js'
import { isLock } from '../../lock/parse-lock.js'
import { loadApplication, loadOptions } from '../application.js'
import { UsageError } from '../modules.js'
import { makeDocument } from '../openapi.js'
import { parseDocument } from '../files/read-document.js'
import { readLock } from '../files/read-lock.js'

export interface StateArguments {
  /** The name of the exported plugin class. */
  readonly export?: string | undefined
  /** The name of the export that contains the options of the document. */
  readonly document?: string | undefined
  /** The name of the export that contains the options of the server. */
  readonly options?: string | undefined
}

/** A state of an application. */
export interface State {
  /** The interface, as a document or a module has it; absent for a lock. */
  readonly contract?: Contract
  /** Absent for a document, which says nothing of hooks, contexts and providers. */
  readonly lock?: Lock
}

/** A file as a revision of git has it: `main:openapi.json`. */
interface Revision {
  readonly revision: string
  readonly file: string
}

/** The most bytes of a file that git writes. */
const MAX_BYTES = 200 * 1024 * 1024

/** Returns the file of the other state if only the old one is given: the file of a revision, as the working copy has it. */
export function workingCopyOf(place: string): string {
  const found = revisionOf(place)
  if (found !== undefined) return found.file
  throw new UsageError(
    `alcove diff compares two states: alcove diff ${place} <new>. Of a revision of git, the other one is the working copy: alcove diff main:${place}.`,
  )
}

/**
 * Reads a state.
 * @param place the path of a file, or a revision of git and a path: `main:openapi.json`
 * @throws UsageError if there is no such file, or if it cannot be read
 */
export async function readState(place: string, given: StateArguments): Promise<State> {
  const revision = revisionOf(place)
  const file = revision?.file ?? place
  if (/\.[cm]?[jt]s$/.test(file)) {
    if (revision !== undefined)
      throw new UsageError(`${place} is a module, which git does not build. Compare the OpenAPI documents or the locks of both states.`)
    return readModule(file, given)
  }
  const text = revision === undefined ? await readText(place) : await readRevision(revision)
  if (isLock(text)) return { lock: readLock(text, place) }
  return { contract: asContract(await parseDocument(text, file), place) }
}

async function readModule(file: string, given: StateArguments): Promise<State> {
  const App = await loadApplication(file, given.export)
  const { document } = await makeDocument(file, App, { document: given.document, options: given.options })
  return { contract: readContract(JSON.parse(JSON.stringify(document))), lock: makeLock(App, await loadOptions(file, given.options)) }
}

function asContract(document: unknown, place: string): Contract {
  try {
    return readContract(document)
  } catch (error) {
    throw error instanceof ContractError ? new UsageError(`${place}: ${error.message}`) : error
  }
}

function revisionOf(place: string): Revision | undefined {
  if (existsSync(place)) return undefined
  // A revision has more than one letter here, because a drive has one.
  const [, revision, file] = /^([^:-][^:]+):(.+)$/.exec(place) ?? []
  return revision === undefined || /^https?$/.test(revision) ? undefined : { revision, file: file! }
}

async function readText(file: string): Promise<string> {
  if (/^https?:/.test(file)) throw new UsageError(`${file} is not a file. Download it first: curl -o openapi.json ${file}`)
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

async function readRevision({ revision, file }: Revision): Promise<string> {
  try {
    // A path of git begins at the root of the repository, unless it begins with a dot.
    const path = /^\.{1,2}\//.test(file) ? file : `./${file}`
    const { stdout } = await promisify(execFile)('git', ['show', `${revision}:${path}`], { maxBuffer: MAX_BYTES })
    return stdout
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    const reason = (stderr ?? message).trim().split('\n')[0]!
    throw new UsageError(`git has no ${revision}:${file}: ${reason}. In CI, fetch the revision first: git fetch origin main.`)
  }
}
