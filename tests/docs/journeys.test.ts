/** Every question of {@link journeys} is answered under a heading that exists, on a page that is two links away from docs/index.md. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { project, readText } from '../fixtures/project.js'
import { journeys } from './journeys.js'
import { anchorsOf, proseOf } from './pages.js'

/** The pages to which a page links. */
function linksOf(page: string): string[] {
  return [...proseOf(readText(page)).matchAll(/\]\((?!https?:)([^)#\s]+\.md)(?:#[^)\s]*)?\)/g)].map(([, to]) => join(dirname(page), to!))
}

const first = 'docs/index.md'
const oneLinkAway = linksOf(first)
// The link in the middle is one that a reader looks for: a list of pages, not a word within a sentence.
const indexes = oneLinkAway.filter((page) => page.endsWith('/index.md'))
const reached = new Set([...oneLinkAway, ...indexes.flatMap(linksOf)])

test('there are thirty-one questions, from the first look to the operation', () => {
  assert.equal(Object.keys(journeys).length, 31)
})

for (const [question, places] of Object.entries(journeys)) {
  test(`the pages answer: ${question}`, () => {
    const faults = places.flatMap((place) => {
      const [path, anchor] = place.split('#')
      const page = join('docs', path!)
      if (!existsSync(join(project, page))) return [`${page} does not exist`]
      const isThere = anchor === undefined || anchorsOf(readText(page)).has(anchor)
      return [
        ...(isThere ? [] : [`${page} has no heading #${anchor}`]),
        ...(reached.has(page) ? [] : [`${page} is not linked from ${first}, nor from an index that it links`]),
      ]
    })
    assert.deepEqual(faults, [])
  })
}
