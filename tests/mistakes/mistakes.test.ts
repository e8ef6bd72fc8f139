/** Every deliberate mistake does not compile, or shows before the server starts or in a request that is answered, with place and cure. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { dependencies } from './dependencies.js'
import { guards } from './guards.js'
import { hooks } from './hooks.js'
import { lifetimes } from './lifetimes.js'
import { type Mistake, prove, type Totals } from './mistake.js'
import { plugins } from './plugins.js'
import { routes } from './routes.js'
import { schemas } from './schemas.js'
import { testing } from './tests.js'
import { compileTypeMistakes, type Diagnostic, readTypeMistakes } from './types.js'
import { project } from '../fixtures/project.js'

const groups: Readonly<Record<string, readonly Mistake[]>> = { dependencies, plugins, routes, schemas, hooks, guards, lifetimes, testing }
const typeMistakes = readTypeMistakes()
const totals = new Map<string, Totals>()

function totalsOf(group: string): Totals {
  const own = { type: 0, boot: 0, request: 0, whole: 0 }
  totals.set(group, own)
  return own
}

for (const [name, mistakes] of Object.entries(groups)) {
  // Each server has a port of its own.
  describe(name, { concurrency: 4 }, () => {
    const own = totalsOf(name)
    for (const mistake of mistakes) test(mistake.says, () => prove(mistake, own))
  })
}

describe('types', () => {
  const own = totalsOf('types')
  let diagnostics: readonly Diagnostic[] = []
  before(async () => (diagnostics = await compileTypeMistakes()))

  for (const { says, cure, from, to } of typeMistakes) {
    test(says, () => {
      const texts = diagnostics.filter(({ line }) => line >= from && line < to).map(({ text }) => text)
      assert.notEqual(texts.length, 0, 'it compiles')
      own.type++
      if (cure === '') return
      assert.ok(texts.join('').includes(cure), `the compiler does not say ${cure}: ${texts.join('')}`)
      own.whole++
    })
  }

  test('nothing else fails', () => {
    assert.deepEqual(
      diagnostics.filter(({ line }) => line < typeMistakes[0]!.from),
      [],
    )
  })
})

describe('of all mistakes', () => {
  const all: Totals = { type: 0, boot: 0, request: 0, whole: 0 }
  const count = [...Object.values(groups).flat(), ...typeMistakes].length
  before(() => {
    for (const own of totals.values()) for (const key of Object.keys(all) as (keyof Totals)[]) all[key] += own[key]
  })
  const rows = (): string[] =>
    [...totals, ['all', all] as const].map(
      ([name, { type, boot, request, whole }]) => `| ${[name, type, boot, request, whole].join(' | ')} |`,
    )
  after(() => console.log(rows().join('\n')))

  test('none is silent, and none hangs', () => {
    assert.ok(count >= 209)
    assert.equal(all.type + all.boot + all.request, count)
  })

  test('at least 85 % name the place and the cure', () => {
    assert.ok(all.whole / count >= 0.85, `${all.whole} of ${count}`)
  })

  test('the totals are those of docs/how-to/coming-from-nest.md', () => {
    const document = readFileSync(join(project, 'docs/how-to/coming-from-nest.md'), 'utf8')
    assert.deepEqual(
      rows().filter((row) => !document.includes(row)),
      [],
      'write these rows there',
    )
  })

  test('no two of a group are the same', () => {
    for (const mistakes of [...Object.values(groups), typeMistakes]) {
      const names = mistakes.map(({ says }) => says)
      assert.deepEqual(
        names.filter((name, index) => names.indexOf(name) < index),
        [],
      )
    }
  })
})
