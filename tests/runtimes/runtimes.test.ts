import assert from 'node:assert/strict'
import { test } from 'node:test'
import { behaviours } from './behaviours/index.js'
import { holdText, readText } from '../fixtures/project.js'
import { differences } from './differences.js'
import { entries } from './entries.js'
import { tables } from './page.js'
import { holdResults, runSuite } from './run-suite.js'

test('the behaviours have titles of their own', () => {
  const titles = Object.values(behaviours).flatMap((list) => list.map(({ title }) => title))
  assert.equal(new Set(titles).size, titles.length)
})

for (const entry of entries) {
  test(`all behaviours hold by ${entry.name}, except the differences that are listed`, async () =>
    holdResults(entry.name, await runSuite(entry)))
}

test('the page of the runtimes has the tables of the behaviours', () => {
  const path = 'docs/reference/runtimes.md'
  holdText(
    path,
    readText(path).replace(
      /(<!-- behaviours -->\n)[^]*(<!-- \/behaviours -->)/,
      (_all, begin: string, end: string) => `${begin}\n${tables()}\n\n${end}`,
    ),
  )
  const titles = Object.values(behaviours).flatMap((list) => list.map(({ title }) => title))
  for (const title of Object.keys(differences)) assert.ok(titles.includes(title), title)
})
