/**
 * Reads a version of an application from an OpenAPI document, a lock or a built module. Documents and locks can also be read from a
 * revision of git.
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
  /** The name of the export that contains the options of the OpenAPI document. */
  readonly document?: string | undefined
  /** The name of the export that contains the options of the server. */
  readonly options?: string | undefined
}

/** A version of an application, as `alcove diff` reads it. */
export interface State {
  /** The interface, from an OpenAPI document or a module; absent if the version was read from a lock. */
  readonly contract?: Contract
  /** The lock, from a lock or a module. Absent for an OpenAPI document, which does not describe hooks, contexts and providers. */
  readonly lock?: Lock
}

/** A file in a revision of git: `main:openapi.json`. */
interface Revision {
  readonly revision: string
  readonly file: string
}

/** The greatest size of a file that is read from git, in bytes. */
const MAX_BYTES = 200 * 1024 * 1024

/** Returns the file of the new version if only an old version is given: the file of the revision in the working copy. */
export function workingCopyOf(place: string): string {
  const found = revisionOf(place)
  if (found !== undefined) return found.file
  const cure = isModule(place)
    ? `Of a revision of git, name its document: alcove diff main:openapi.json ${place}.`
    : `Of a revision of git, the other one is the working copy: alcove diff main:${place}.`
  throw new UsageError(`alcove diff compares two states: alcove diff ${place} <new>. ${cure}`)
}

/**
 * Reads a version of an application.
 * @param place the path of a file, or a git revision with a path: `main:openapi.json`
 * @throws UsageError if the file does not exist or cannot be read
 */
export async function readState(place: string, given: StateArguments): Promise<State> {
  const revision = revisionOf(place)
  const file = revision?.file ?? place
  if (isModule(file)) {
    if (revision !== undefined)
      throw new UsageError(`${place} is a module, which git does not build. Compare the OpenAPI documents or the locks of both states.`)
    return readModule(file, given)
  }
  const text = revision === undefined ? await readText(place) : await readRevision(revision)
  if (isLock(text)) return { lock: readLock(text, place) }
  return { contract: asContract(await parseDocument(text, file), place) }
}

function isModule(file: string): boolean {
  return /\.[cm]?[jt]s$/.test(file)
}

async function readModule(file: string, given: StateArguments): Promise<State> {
  const App = await loadApplication(file, given.export)
  const { document, warnings } = await makeDocument(file, App, { document: given.document, options: given.options })
  const contract = readContract(JSON.parse(JSON.stringify(document)))
  const leftOut = warnings.flatMap(({ kind, message }) => (kind === 'lossy' ? [{ pointer: '', reason: message }] : []))
  const lock = makeLock(App, await loadOptions(file, given.options))
  return { contract: { ...contract, notes: [...contract.notes, ...leftOut] }, lock }
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
    const reason = (stderr ?? message).trim().split('\n')[0]!.replace(/\.$/, '')
    throw new UsageError(`git has no ${revision}:${file}: ${reason}. In CI, fetch the revision first: git fetch origin main.`)
  }
}
