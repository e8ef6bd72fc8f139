/**
 * The command `alcove lock`: writes the lock of an application, or describes the changes since the lock was written. Nothing is started.
 */
import { readFile } from 'node:fs/promises'
import type { Class } from '../declare/metadata.js'
import type { LockChange } from '../lock/change.js'
import { compareLocks } from '../lock/compare-locks.js'
import type { Lock } from '../lock/lock-types.js'
import { makeLock } from '../lock/make-lock.js'
import { writeLock } from '../lock/write-lock.js'
import { loadOptions } from './application.js'
import { readLock } from './files/read-lock.js'
import { writeOutput } from './files/write-output.js'
import { UsageError } from './modules.js'

export interface LockArguments {
  /** The file to write the lock to. Default: `alcove.lock`. */
  readonly out?: string | undefined
  /** Whether the lock is only compared with the file instead of written to it. */
  readonly check?: boolean | undefined
  /** The name of the export that contains the options of the server. */
  readonly options?: string | undefined
}

/** Writes the lock of an application, or compares it with a file. @returns `false` if the compared file is not up to date */
export async function writeLockFile(
  file: string,
  App: Class,
  { out = 'alcove.lock', check = false, options }: LockArguments,
): Promise<boolean> {
  const lock = makeLock(App, await loadOptions(file, options))
  const again = `alcove lock ${file}${out === 'alcove.lock' ? '' : ` --out ${out}`}`
  if (!check) {
    await writeOutput(out, writeLock(lock))
    const routes = lock.plugins.reduce((count, plugin) => count + plugin.routes.length, 0)
    console.log(`${out} is written: plugins: ${lock.plugins.length}, routes: ${routes}.`)
    return true
  }
  const changes = compareLocks(await readLockFile(out, again), lock)
  if (changes.length === 0) return true
  const lines = describeChanges(changes).map((line) => `  ${line}`)
  console.error(`${out} is not what the application has now:\n${lines.join('\n')}\nIf this is wanted, write it again: ${again}`)
  return false
}

/**
 * Reads a lock from a file.
 * @param again the command that writes the file, for the error message
 * @throws UsageError if the file does not exist or is not a lock
 */
async function readLockFile(path: string, again: string): Promise<Lock> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new UsageError(`${path} does not exist. Write it: ${again}`)
    throw error
  })
  return readLock(text, path)
}

const MAX_SUBJECTS = 10

/** Returns a line for each change. A change that several routes share becomes one line: `GET /a, GET /b lost the guard …`. */
function describeChanges(changes: readonly LockChange[]): string[] {
  const subjects = new Map<string, string[]>()
  for (const { of, what } of changes) subjects.set(what, [...(subjects.get(what) ?? []), of])
  return [...subjects].map(([what, all]) => {
    const others = all.length - MAX_SUBJECTS
    return `${all.slice(0, MAX_SUBJECTS).join(', ')}${others > 0 ? ` and ${others} more` : ''} ${what}`
  })
}
