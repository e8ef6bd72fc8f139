import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readLayers } from './architecture.js'
import { drawLayers } from './architecture-svg.js'
import { project } from '../fixtures/project.js'

const document = join(project, 'docs/architecture.svg')

test('docs/architecture.svg shows the rooms as they are (`npm run architecture` draws it)', async () => {
  const picture = drawLayers(await readLayers(project))
  if (process.env['ARCHITECTURE'] === 'write') writeFileSync(document, picture)
  assert.ok(readFileSync(document, 'utf8') === picture, 'the files or imports have changed')
})
