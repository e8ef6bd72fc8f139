#!/usr/bin/env node
/**
 * Runs the test suite and prints what it reaches of lib and decorators: statements, branches and functions of the sources, by
 * V8's own counters and the source maps. The lines that are not reached are in the table, and in coverage/.
 *   npm run coverage
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const tests = ['dist/tests', 'dist/samples'].flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => `${folder}/${file}`),
)
const c8 = fileURLToPath(new URL('node_modules/c8/bin/c8.js', import.meta.url))
const { status } = spawnSync(
  process.execPath,
  [
    c8,
    '--all',
    '--src=lib',
    '--src=decorators',
    '--include=lib/**',
    '--include=decorators/**',
    '--include=dist/lib/**',
    '--include=dist/decorators/**',
    // Only types.
    ...['decorators/explanation.ts', 'lib/compiled-route.ts', 'lib/schema-types.ts'].map((file) => `--exclude=${file}`),
    '--exclude-after-remap',
    '--reporter=text',
    '--reporter=json-summary',
    process.execPath,
    '--test',
    '--test-reporter=dot',
    ...tests,
  ],
  { stdio: 'inherit' },
)
process.exit(status ?? 1)
