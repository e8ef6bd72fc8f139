/** docs/reference/ecosystem.md: the versions in its table are the installed ones. `npm run test:ecosystem` compares the numbers of tests. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { project } from '../fixtures/project.js'

test('the page of the ecosystem names the versions of plugins that are installed for their tests', () => {
  const page = readFileSync(`${project}docs/reference/ecosystem.md`, 'utf8')
  const { devDependencies } = JSON.parse(readFileSync(`${project}tests/ecosystem/package.json`, 'utf8'))
  const installed = new Set(
    Object.entries(devDependencies).map(([name, version]) => `${name}@${version as string}`.replace(/^.*@npm:/, '')),
  )
  const [table] = /<!-- begin: tested -->[^]*<!-- end: tested -->/.exec(page)!
  const named = [...table.matchAll(/^\| (\S+) \| .*? \| (\d.*?) \| /gm)].flatMap(([, name, versions]) =>
    versions!.split(', ').map((version) => `${name}@${version.replace(/ \(\d+\)$/, '')}`),
  )
  assert.ok(named.length > 40)
  assert.deepEqual(
    named.filter((entry) => !installed.has(entry)),
    [],
  )
})
