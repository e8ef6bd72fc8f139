import { randomBytes } from 'node:crypto'
import slugify from '@sindresorhus/slugify'

/** What stands in the place of a slug in the paths of other routes. */
const reserved = new Set(['feed'])

/** The slug of a title; with a random ending for the second article of that title. */
export function slugOf(title: string, isTaken: boolean): string {
  const base = slugify(title).slice(0, 80).replace(/-$/, '') || 'article'
  return isTaken || reserved.has(base) ? `${base}-${randomBytes(4).toString('hex')}` : base
}
