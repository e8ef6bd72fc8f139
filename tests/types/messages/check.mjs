/**
 * Compares the compiler's messages for the mistakes of this folder with messages.txt: under both kinds of decorators, in which only the
 * argument that is refused has another type. `node tests/types/messages/check.mjs` uses the compiler of the repository; the path of
 * another tsc may follow (`npm run test:toolchains` gives that of TypeScript 5.9). `UPDATE=1` writes the file.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const compiler = process.argv[2] ?? `${root}node_modules/typescript/bin/tsc`
const expected = new URL('messages.txt', import.meta.url)
const standard = ['--experimentalDecorators', 'false', '--emitDecoratorMetadata', 'false', '--lib', 'ES2023,ESNext']

function messages(title, options) {
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', 'tests/types/messages', '--pretty', 'false', ...options], {
    cwd: root,
    encoding: 'utf8',
  })
  return `${title}\n\n${stdout.replaceAll('tests/types/messages/', '')}`
}

const printed = [messages('Legacy decorators', []), messages('Standard decorators', standard)].join('\n')
if (process.env['UPDATE'] === '1') writeFileSync(expected, printed)
assert.equal(printed, readFileSync(expected, 'utf8'), `The messages of ${compiler} are not those of ${expected.pathname}`)
console.log(`messages: as in tests/types/messages/messages.txt`)
