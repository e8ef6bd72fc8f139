/** Times of the day, by the optional peer croner. Only this file uses it. */
import { createRequire } from 'node:module'
import { ownUrl } from '../../lib/internal.js'
import { resolvePeer } from '../peer.js'

const require = createRequire(ownUrl)

/** The part of croner that is used. The declarations of this package name no optional peer. */
interface Croner {
  readonly Cron: new (pattern: string, options: { paused: boolean; timezone?: string }) => Cron
}
interface Cron {
  nextRun(after?: Date): Date | null
}

/**
 * Returns the times of a pattern.
 * @throws ALC_ERR_PEER_MISSING without the package croner; the error of croner for a pattern or a time zone that it does not know
 */
function readPattern(pattern: string, timezone: string | undefined): Cron {
  const { Cron } = require(resolvePeer('croner', '@Job({ cron })')) as Croner
  return new Cron(pattern, { paused: true, ...(timezone !== undefined && { timezone }) })
}

/** Returns what is wrong with a pattern and a time zone, as a text; `undefined` if nothing is. */
export function problemOfCron(pattern: string, timezone: string | undefined): string | undefined {
  try {
    // A time zone is read when the first time is computed.
    return readPattern(pattern, timezone).nextRun() === null ? 'it never comes' : undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Returns a function that computes the first time of a pattern after another time; `undefined` if there is none. */
export function timesOfCron(pattern: string, timezone: string | undefined): (after: Date) => Date | undefined {
  const cron = readPattern(pattern, timezone)
  return (after) => cron.nextRun(after) ?? undefined
}
