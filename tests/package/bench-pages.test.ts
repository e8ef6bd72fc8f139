/** Pages take the figures of the measurements from one file: nobody changes a figure by hand, and no page keeps an older one. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { project } from '../fixtures/project.js'

interface Pages {
  compare(results: object): { name: string; text: string; filled: string }[]
  readResults(): Record<string, { conditions: { commit: string } }>
}
const { compare, readResults } = (await import(pathToFileURL(join(project, 'bench/report/pages.mjs')).href)) as Pages

describe('figures of the measurements', () => {
  test('every page has those of the recorded run', () => {
    for (const { name, text, filled } of compare(readResults())) {
      assert.equal(text, filled, `${name} differs from bench/results.json. Do not edit it by hand; npm run bench writes both.`)
    }
  })

  test('a figure that changes in the recorded run changes every page that has it', () => {
    const results = structuredClone(readResults())
    for (const { conditions } of Object.values(results)) conditions.commit = 'another'
    for (const { name, text, filled } of compare(results)) assert.notEqual(text, filled, `${name} has nothing of the recorded run`)
  })

  test('the page on performance says where alcove is behind', () => {
    interface Requests {
      conditions: { isShort: boolean }
      workloads: { hello: { alcove: { ratio: { median: number } } } }
    }
    const results = readResults() as unknown as { requests: Requests }
    const pageOf = (ratio: number, isShort = false): string => {
      results.requests.workloads.hello.alcove.ratio.median = ratio
      results.requests.conditions.isShort = isShort
      return compare(results).find(({ name }) => name === 'docs/explanation/performance.md')!.filled
    }
    assert.match(pageOf(1.57), /above that of Fastify: `hello` \(1\.57\)/)
    assert.doesNotMatch(pageOf(0.57), /above that of Fastify: `hello` \(/)
    assert.doesNotMatch(pageOf(1.57, true), /above that of Fastify: `hello` \(/)
    assert.match(pageOf(1.57, true), /whose runs were too short: requests/)
  })

  test('all parts that pages have are recorded, and each has its conditions', () => {
    const results = readResults()
    const parts = [
      'application',
      'boot',
      'editor',
      'fetch',
      'history',
      'lines',
      'load',
      'overload',
      'parts',
      'profile',
      'requests',
      'sizes',
      'sockets',
      'startup',
      'wiring',
    ]
    assert.deepEqual(Object.keys(results).toSorted(), parts)
    for (const { conditions } of Object.values(results)) assert.match(conditions.commit, /^[0-9a-f]{10}/)
  })

  test('no other page has a place for figures', () => {
    const known = compare(readResults()).map(({ name }) => name)
    const pages = readdirSync(join(project, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
    for (const page of pages.map((name) => `docs/${name}`)) {
      if (readFileSync(join(project, page), 'utf8').includes('<!-- bench:')) assert.ok(known.includes(page), page)
    }
  })
})
