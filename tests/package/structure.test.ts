/** The sources stay in folders and files that one can look through. (Lengths of files and functions are rules of oxlint.) */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

// The project, both from tests/package and from dist/tests/package.
const project = fileURLToPath(new URL('.', import.meta.url)).replace(/(?:dist\/)?tests\/package\/$/, '')

const sources = ['lib', 'decorators'].flatMap((folder) =>
  readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`)
    .sort(),
)

test('a folder of sources holds at most 14 files', () => {
  const counts = new Map<string, number>()
  for (const file of sources) {
    const folder = file.slice(0, file.lastIndexOf('/'))
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  assert.deepEqual(
    [...counts].filter(([, count]) => count > 14).map(([folder, count]) => `${folder} holds ${count} files`),
    [],
  )
})
