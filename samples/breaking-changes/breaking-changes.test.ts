/** docs/how-to/breaking-changes.md: what `alcove diff` says of two documents. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { reportDiff } from '../../decorators/commands/diff.js'
import { reportText } from '../../decorators/commands/diff/texts.js'
import { project } from '../../tests/fixtures/project.js'

const folder = `${project}samples/breaking-changes/`

test('the report of the page is the report of the command', async () => {
  const text = reportText(await reportDiff(`${folder}old.json`, `${folder}new.json`, {}))
  const file = `${folder}report.txt`
  if (process.env['UPDATE_README'] !== undefined) writeFileSync(file, `${text}\n`)
  assert.equal(`${text}\n`, readFileSync(file, 'utf8'))
})

test('the deprecation of the page is the one of the document', () => {
  const read = (name: string): any => JSON.parse(readFileSync(folder + name, 'utf8'))
  const { operationId, deprecated, 'x-sunset': sunset } = read('old.json').paths['/orders/{id}'].delete
  assert.deepEqual({ operationId, deprecated, 'x-sunset': sunset }, read('deprecation.json'))
})
