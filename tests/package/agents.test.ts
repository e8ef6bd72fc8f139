/** AGENTS.md, which the package contains: its example runs, its commands exist, its faults have these cures. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { FaultCode } from '../../decorators/wiring/faults.js'
import { faultsOfEachKind } from '../fixtures/fault-samples.js'

const project = fileURLToPath(new URL('../../..', import.meta.url))
const read = (path: string): string => readFileSync(join(project, path), 'utf8')

/** The kinds of faults that are met first when an application is written. */
const commonest: FaultCode[] = [
  'PROVIDER_NOT_VISIBLE',
  'PROVIDER_UNKNOWN',
  'NO_CONSTRUCTOR_TYPES',
  'CLASS_USED_BEFORE_DECLARATION',
  'CAPTIVE_REQUEST_SCOPE',
  'REQUIREMENT_NOT_MET',
  'PLUGIN_IMPORTED_TWICE',
  'BODY_SCHEMA_ON_BODYLESS_METHOD',
]

test('AGENTS.md lists the cures of the commonest faults as the framework words them', () => {
  const rows = commonest.map((code) => `| \`${code}\` | ${faultsOfEachKind.find((fault) => fault.code === code)!.cure} |\n`)
  const text = read('AGENTS.md')
  const current = text.replace(/(\| `code` .*\n\| --- .*\n)(?:\|.*\n)*/, (_found, head: string) => head + rows.join(''))
  if (process.env['UPDATE_README'] === '1') return writeFileSync(join(project, 'AGENTS.md'), current)
  assert.equal(text, current, 'run `npm run readme`')
})

test('AGENTS.md has at most 900 words besides its example', () => {
  const words = read('AGENTS.md')
    .replaceAll(/```ts\n[^]*?```/g, '')
    .match(/\S+/g)!
  assert.ok(words.length <= 900, `it has ${words.length}`)
})

test('each template has an AGENTS.md that leads to that of the package, and names scripts that it has', () => {
  for (const template of ['app', 'api']) {
    const text = read(`templates/${template}/AGENTS.md`)
    assert.match(text, /`node_modules\/alcove\/AGENTS\.md`/)
    const { scripts } = JSON.parse(read(`templates/${template}/package.json`)) as { scripts: Record<string, string> }
    const named = [...text.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name]) => name!).filter((name) => name !== 'install')
    assert.ok(named.length >= 3)
    assert.deepEqual(
      named.filter((name) => !Object.hasOwn(scripts, name)),
      [],
    )
  }
})
