/**
 * Runs the tests, and holds their outcome against the tables and titles in docs/reference/ecosystem.md. `--write` writes the tables instead.
 *
 * The document cannot say more than the tests do: its rows are the suites, its sentences the titles of the tests.
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

/** `@fastify/jwt 10.2.8: twice in a context` → what of it was tested, under which face, with which outcome. */
const subjects = new Map()
const faces = ['registered programmatically', 'imported by a plugin class']
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
  const [subject, ...between] = place.slice(0, nesting)
  if (subject === undefined) return
  const tests = subjects.get(subject) ?? subjects.set(subject, new Map()).get(subject)
  const test = tests.get(name) ?? tests.set(name, { faces: new Set(), isPassed: true, todo: undefined }).get(name)
  for (const face of faces) if (between.includes(face)) test.faces.add(face)
  if (todo !== undefined) test.todo = typeof todo === 'string' ? todo : 'not yet'
  else if (outcome === 'failed' || skip !== undefined) test.isPassed = false
}
stream.on('test:pass', note('passed'))
stream.on('test:fail', note('failed'))
stream.compose(new spec()).pipe(process.stdout)
stream.on('end', () => {
  const text = readFileSync(document, 'utf8')
  const written = Object.entries(describe()).reduce(
    (page, [name, part]) => page.replace(region(name), (_all, begin, end) => `${begin}\n${part}\n${end}`),
    text,
  )
  if (process.argv.includes('--write')) writeFileSync(document, written)
  else if (written !== text) {
    hasFailed = true
    console.error('docs/reference/ecosystem.md does not say what the tests show. Write it anew: npm run test:ecosystem -- --write')
  }
  process.exitCode = hasFailed ? 1 : 0
})

/** A part of the document that is written here. */
function region(name) {
  return new RegExp(`(<!-- begin: ${name} -->\\n)[^]*(<!-- end: ${name} -->)`)
}

/** The table of plugins, and the titles of their tests. */
function describe() {
  const plugins = new Map()
  const others = []
  for (const [subject, tests] of [...subjects].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const [, name, version, label] = /^(\S+) (\d\S*?)(?:: (.*))?$/.exec(subject) ?? []
    if (name === undefined) others.push([subject, tests])
    else {
      const key = `${name} ${version}`
      const plugin = plugins.get(key) ?? plugins.set(key, { name, version, parts: [] }).get(key)
      plugin.parts.push({ label, tests })
    }
  }
  const lines = ['| plugin | version | works | tests |', '| --- | --- | --- | ---: |']
  const sorted = [...plugins.values()].toSorted((a, b) => a.name.localeCompare(b.name) || parseInt(b.version, 10) - parseInt(a.version, 10))
  for (const { name, version, parts } of sorted) {
    const tests = parts.flatMap((part) => [...part.tests.values()])
    lines.push(`| ${name} | ${version} | ${verdict(tests)} | ${tests.length} |`)
  }
  const titles = []
  for (const { name, version, parts } of sorted) {
    const all = parts.flatMap(({ label, tests }) => [...(label ? [`${capital(label)}:`, ''] : []), ...listed(tests), ''])
    titles.push(...folded(`${name} ${version}`, all))
  }
  for (const [subject, tests] of others) titles.push(...folded(capital(subject), [...listed(tests), '']))
  return { tested: `${lines.join('\n')}\n`, titles: titles.join('\n') }
}

/** Lines that a reader opens. HTML around Markdown needs empty lines. */
function folded(summary, lines) {
  return ['<details>', `<summary>${summary}</summary>`, '', ...lines, '</details>', '']
}

function verdict(tests) {
  const reasons = tests.filter((test) => test.todo !== undefined).map((test) => test.todo)
  if (tests.some((test) => !test.isPassed)) return 'no'
  return reasons.length > 0 ? `in part: ${[...new Set(reasons)].join('; ')}` : 'yes'
}

function listed(tests) {
  return [...tests].map(([title, test]) => {
    const [only] = test.faces.size === 1 ? test.faces : []
    return `- ${title}${only ? ` (${only})` : ''}${test.isPassed && test.todo === undefined ? '' : ` — **${test.todo ?? 'fails'}**`}`
  })
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1)
}
