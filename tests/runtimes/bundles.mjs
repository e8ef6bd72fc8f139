/**
 * The size of a bundle, and the start of a process up to its first answer, of one small application on each runtime: alcove with its build,
 * beside Hono, Fastify and Elysia. Prints a table; `--write` writes it into docs/reference/runtimes.md; `--check` only looks whether each of them
 * answers as it should, and whether a bundle of alcove has grown. Linux only. `node tests/runtimes/bundles.mjs` after `npm run build:all`, `npm ci --prefix tests/runtimes` and `npm ci --prefix samples/workers`.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from '../../bench/stats.mjs'
import { makeBundles } from './bundles/build.mjs'
import { record } from './bundles/record.mjs'
import { startOnce } from './bundles/start.mjs'

const isCheck = process.argv.includes('--check')
const STARTS = isCheck ? 0 : 20
/** A bundle of alcove that is larger has something in it that a built application does not need, such as the compilers of schemas. */
const MAX_ALCOVE_BYTES = 750_000

const folder = mkdtempSync(join(tmpdir(), 'alcove-bundles-'))
try {
  const made = await makeBundles(folder, (_runtime, framework) => !framework.startsWith('alcove by'))
  const bundles = made.map((bundle) => ({ ...bundle, starts: [] }))
  // The first round checks the replies, and fills the caches of files.
  for (let round = 0; round <= STARTS; round++) {
    for (const bundle of bundles) {
      const start = await startOnce(bundle, round === 0)
      if (round > 0) bundle.starts.push(start)
    }
  }
  for (const { file, framework, bytes } of bundles) assert.ok(framework !== 'alcove' || bytes < MAX_ALCOVE_BYTES, `${file}: ${bytes} bytes`)
  const kilobytes = (bytes) => Math.round(bytes / 1000)
  if (isCheck) console.log(`${bundles.length} bundles answer`)
  else
    record(
      'docs/reference/runtimes.md',
      'bundles',
      ['hono', 'zod', 'fastify', 'elysia', 'bun', 'deno', 'workerd', 'esbuild'],
      [
        ['runtime', 'framework', 'KB', 'KB with gzip', 'ms to the first answer', 'ms of CPU'],
        ...bundles.map(({ runtime, framework, bytes, gzip, starts }) => [
          runtime,
          framework,
          kilobytes(bytes),
          kilobytes(gzip),
          Math.round(median(starts.map(({ wall }) => wall))),
          Math.round(median(starts.map(({ cpu }) => cpu))),
        ]),
      ],
    )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit()
