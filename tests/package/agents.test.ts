/** AGENTS.md, which the package contains: its example runs, its commands exist, its faults have these cures. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FaultCode } from '../../decorators/wiring/faults.js'
import { faultsOfEachKind } from '../fixtures/fault-samples.js'
import { holdText, project, readText } from '../fixtures/project.js'

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
  const current = readText('AGENTS.md').replace(/(\| `code` .*\n\| --- .*\n)(?:\|.*\n)*/, (_found, head: string) => head + rows.join(''))
  holdText('AGENTS.md', current)
})

test('AGENTS.md has at most 900 words besides its example', () => {
  const words = readText('AGENTS.md')
    .replaceAll(/```ts\n[^]*?```/g, '')
    .match(/\S+/g)!
  assert.ok(words.length <= 900, `it has ${words.length}`)
})

test('each template has an AGENTS.md that leads to that of the package, and names scripts that it has', () => {
  for (const template of ['app', 'api', 'plain']) {
    const text = readText(`templates/${template}/AGENTS.md`)
    assert.match(text, /`node_modules\/alcove\/AGENTS\.md`/)
    const { scripts } = JSON.parse(readText(`templates/${template}/package.json`)) as { scripts: Record<string, string> }
    const named = [...text.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name]) => name!).filter((name) => name !== 'install')
    assert.ok(named.length >= 3)
    assert.deepEqual(
      named.filter((name) => !Object.hasOwn(scripts, name)),
      [],
    )
  }
})

test('the declarations that AGENTS.md names lead to files with comments', () => {
  const folder = join(project, 'dist/decorators')
  const index = readFileSync(join(folder, 'index.d.ts'), 'utf8')
  const targets = [...index.matchAll(/from '(\.[^']+)\.js'/g)].map(([, path]) => join(folder, `${path}.d.ts`))
  assert.ok(targets.length > 10)
  for (const file of targets) assert.match(readFileSync(file, 'utf8'), /\/\*\*|export .* from/, file)
})
