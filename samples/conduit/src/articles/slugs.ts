import { randomBytes } from 'node:crypto'
import slugify from '@sindresorhus/slugify'

/** Words that other routes have in their paths at the place of a slug. */
const reserved = new Set(['feed'])

/** The slug of a title, with a random ending if the slug is taken or reserved. */
export function slugOf(title: string, isTaken: boolean): string {
  const base = slugify(title).slice(0, 80).replace(/-$/, '') || 'article'
  return isTaken || reserved.has(base) ? `${base}-${randomBytes(4).toString('hex')}` : base
}
