/** Reads the text of a lock for a command. */
import type { Lock } from '../../lock/lock-types.js'
import { LockError, parseLock } from '../../lock/parse-lock.js'
import { UsageError } from '../modules.js'

/**
 * Reads the text of a lock.
 * @param place the file, or the revision of git, that the text is from
 * @throws UsageError with the place and the line if the text is no lock
 */
export function readLock(text: string, place: string): Lock {
  try {
    return parseLock(text)
  } catch (error) {
    throw error instanceof LockError ? new UsageError(`${place}: ${error.message}`) : error
  }
}
