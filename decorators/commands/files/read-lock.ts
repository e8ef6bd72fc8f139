/** Reads the text of a lock for a command. */
import type { Lock } from '../../lock/lock-types.js'
import { LockError, parseLock } from '../../lock/parse-lock.js'
import { UsageError } from '../modules.js'

/**
 * Parses the text of a lock.
 * @param place the file, or the git revision and path, that contains the text
 * @throws UsageError with the place and the line if the text is not a lock
 */
export function readLock(text: string, place: string): Lock {
  try {
    return parseLock(text)
  } catch (error) {
    throw error instanceof LockError ? new UsageError(`${place}: ${error.message}`) : error
  }
}
