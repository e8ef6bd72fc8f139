/** Computes the times of cron patterns, with the optional peer dependency croner, which only this file uses. */
import { createRequire } from 'node:module'
import { ownUrl } from '../../lib/internal.js'
import { resolvePeer } from '../peer.js'

const require = createRequire(ownUrl)

/** The exports of croner that alcove uses. They are declared here because the published types must not depend on an optional package. */
interface Croner {
  readonly Cron: new (pattern: string, options: { paused: boolean; timezone?: string }) => Cron
}
interface Cron {
  nextRun(after?: Date): Date | null
}

/**
 * Parses a cron pattern.
 * @throws ALC_ERR_PEER_MISSING if the package croner is not installed; the error of croner for an invalid pattern or time zone
 */
function readPattern(pattern: string, timezone: string | undefined): Cron {
  const { Cron } = require(resolvePeer('croner', '@Job({ cron })')) as Croner
  return new Cron(pattern, { paused: true, ...(timezone !== undefined && { timezone }) })
}

/** Returns the problem of an invalid cron pattern or time zone, as a text; `undefined` if both are valid. */
export function problemOfCron(pattern: string, timezone: string | undefined): string | undefined {
  try {
    // A time zone is read when the first time is computed.
    return readPattern(pattern, timezone).nextRun() === null ? 'it never comes' : undefined
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * Returns a function that computes the first time of a cron pattern after a given time. The function returns `undefined` if there is no
 * such time.
 */
export function timesOfCron(pattern: string, timezone: string | undefined): (after: Date) => Date | undefined {
  const cron = readPattern(pattern, timezone)
  return (after) => cron.nextRun(after) ?? undefined
}
