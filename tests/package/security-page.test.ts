/** SECURITY.md and docs/advisories.md name tests that exist. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { project } from '../fixtures/project.js'

for (const page of ['SECURITY.md', 'docs/advisories.md']) {
  test(`each test that ${page} names exists`, () => {
    const names = [...readFileSync(join(project, page), 'utf8').matchAll(/`([\w/-]+\.test\.ts)`/g)].map(([, name]) => name!)
    assert.ok(names.length > 5)
    for (const name of names) assert.ok(existsSync(join(project, name.includes('/') ? name : `tests/security/${name}`)), name)
  })
}

test('each promise of SECURITY.md names a test', () => {
  const [, promises] = /## What alcove promises\n([\s\S]*?)\n## /.exec(readFileSync(join(project, 'SECURITY.md'), 'utf8'))!
  const items = promises!.split('\n- ').slice(1)
  assert.ok(items.length >= 10)
  for (const item of items) assert.match(item, /\.test\.ts`/, item)
})
