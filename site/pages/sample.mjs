/** A sample of the pages, for a build that takes a third of the time: all documents, and a part of the pages of the API and of the sources. */
import { readdirSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'

/** One of so many pages stays. */
const ONE_OF = 10
/** The pages that the checks in a browser open. */
const kept = new Set(['api/alcove/interfaces/Server.md', 'source/samples/contexts/app.ts.md'])

/** Removes the other pages from a folder. @returns the addresses that they would have had */
export function keepSample(folder) {
  const alike = readdirSync(folder, { recursive: true })
    .map((name) => name.replaceAll(sep, '/'))
    .filter((name) => /^(?:api|source)\/.*\.md$/.test(name) && !name.endsWith('/index.md') && !kept.has(name))
    .sort((one, other) => (one < other ? -1 : 1))
  const removed = alike.filter((_, index) => index % ONE_OF !== 0)
  for (const name of removed) rmSync(join(folder, name))
  return new Set(removed.map((name) => `/${name.replace(/md$/, 'html')}`))
}
