/**
 * Runs the tests, and holds their outcome against the column "tested" in docs/reference/ecosystem.md. `--write` writes the column instead: the
 * versions of each plugin, with the number of their tests.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'

const here = new URL('.', import.meta.url)
const document = new URL('../../docs/reference/ecosystem.md', import.meta.url)
const files = readdirSync(here)
  .filter((name) => name.endsWith('.test.mjs'))
  .map((name) => fileURLToPath(new URL(name, here)))

/** `@fastify/jwt 10.2.8: twice in a context` → its tests by title, with their outcome. A test that runs in both ways counts once. */
const subjects = new Map()
let hasFailed = false

const stream = run({ files, concurrency: 3 })
// Where the report stands, which goes file by file in the order of declaration: the titles of the suites around a test.
const place = []
stream.on('test:start', ({ name, nesting }) => {
  place.length = nesting
  place.push(name)
})
const note = (outcome) => (event) => {
  const { name, nesting, details, todo, skip } = event
  if (outcome === 'failed' && todo === undefined) hasFailed = true
  if (details.type === 'suite' || nesting === 0) return
  const [subject] = place.slice(0, nesting)
  if (subject === undefined) return
  const tests = subjects.get(subject) ?? subjects.set(subject, new Map()).get(subject)
  const test = tests.get(name) ?? tests.set(name, { isPassed: true, todo: undefined }).get(name)
  if (todo !== undefined) test.todo = typeof todo === 'string' ? todo : 'not yet'
  else if (outcome === 'failed' || skip !== undefined) test.isPassed = false
}
stream.on('test:pass', note('passed'))
stream.on('test:fail', note('failed'))
stream.compose(new spec()).pipe(process.stdout)
stream.on('end', () => {
  const text = readFileSync(document, 'utf8')
  const written = writeOutcomes(text, describe())
  if (process.argv.includes('--write')) writeFileSync(document, written)
  else if (written !== text) {
    hasFailed = true
    console.error('docs/reference/ecosystem.md does not say what the tests show. Write it anew: npm run test:ecosystem -- --write')
  }
  process.exitCode = hasFailed ? 1 : 0
})

/** Writes the third column of the rows of plugins. Each tested plugin must have a row, and each row a tested plugin. */
function writeOutcomes(page, outcomes) {
  const left = new Map(outcomes)
  const written = page.replace(/<!-- begin: tested -->[^]*<!-- end: tested -->/, (part) =>
    part.replace(/^\| (\S+) \| (.*?) \| .*? \| (.*) \|$/gm, (row, name, purpose, notes) => {
      if (name === 'plugin' || name === '---') return row
      const outcome = left.get(name) ?? 'not tested'
      left.delete(name)
      return `| ${name} | ${purpose} | ${outcome} | ${notes} |`
    }),
  )
  for (const name of left.keys()) {
    hasFailed = true
    console.error(`docs/reference/ecosystem.md has no row for ${name}`)
  }
  return written
}

/** By plugin, its versions with the number of their tests: `11.1.5 (6), 9.4.0 (6)`. */
function describe() {
  const plugins = new Map()
  for (const [subject, tests] of subjects) {
    const [, name, version] = /^(\S+) (\d\S*?)(?:: .*)?$/.exec(subject) ?? []
    if (name === undefined) continue
    const versions = plugins.get(name) ?? plugins.set(name, new Map()).get(name)
    versions.set(version, [...(versions.get(version) ?? []), ...tests.values()])
  }
  return [...plugins].map(([name, versions]) => [
    name,
    [...versions]
      .toSorted(([a], [b]) => parseInt(b, 10) - parseInt(a, 10))
      .map(([version, tests]) => `${version} (${tests.length}${verdict(tests)})`)
      .join(', '),
  ])
}

function verdict(tests) {
  if (tests.some((test) => !test.isPassed)) return ', fails'
  const reasons = tests.filter((test) => test.todo !== undefined).map((test) => test.todo)
  return reasons.length > 0 ? `, in part: ${[...new Set(reasons)].join('; ')}` : ''
}
