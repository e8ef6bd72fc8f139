/** docs/reference/ecosystem.md: its parts speak of the same plugins. `npm run test:ecosystem` compares the tested ones with the tests. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { project } from '../fixtures/project.js'

const page = readFileSync(`${project}docs/reference/ecosystem.md`, 'utf8')
const part = (from: string, to: string): string => page.slice(page.indexOf(from), page.indexOf(to))
const cellsIn = (text: string): string[][] =>
  [...text.matchAll(/^\| (.*) \|$/gm)]
    .map(([, row]) => row!.split(' | '))
    .filter(([first]) => first !== 'plugin' && !first!.startsWith('---'))

describe('the page of the ecosystem', () => {
  const tested = cellsIn(part('<!-- begin: tested -->', '<!-- end: tested -->'))

  test('says of every tested plugin what it is for and what to know', () => {
    const described = cellsIn(part('## Plugin by plugin', '## TypeScript')).map(([name]) => name!)
    assert.deepEqual(described.toSorted(), [...new Set(tested.map(([name]) => name!))].toSorted())
  })

  test('lists the tests that the table counts', () => {
    const lists = new Map(
      [...page.matchAll(/<summary>(.*)<\/summary>\n([^]*?)<\/details>/g)].map(([, title, list]) => [title!, list!.match(/^- /gm)?.length]),
    )
    assert.deepEqual(
      tested.map(([name, version, , count]) => [name, version, Number(count)]),
      tested.map(([name, version]) => [name, version, lists.get(`${name} ${version}`)]),
    )
  })
})
