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

function compile(options) {
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', 'tests/types/messages', '--pretty', 'false', ...options], {
    cwd: root,
    encoding: 'utf8',
  })
  const text = stdout.replaceAll('tests/types/messages/', '')
  // TypeScript 7 leaves this line out, as the next one says the same.
  return text.replaceAll(/^ {2}Argument of type 'TypedPropertyDescriptor.*\n {4}/gm, '  ').split(/^(?=\S)/m)
}
const isWide = (text) => text.startsWith('wide.ts')

function messages(title, options) {
  return `${title}\n\n${compile(options)
    .filter((text) => !isWide(text))
    .join('')}`
}

function checkWide(all) {
  const [member = '', item = '', sent = ''] = all.filter(isWide)
  const has = (text, part) => assert.ok(text.includes(part), `${part} is missing in:\n${text}`)
  has(member, `returned: { p17: number; }; allowed: { p17: string | undefined; }`)
  has(item, `returned: { items: { p17: number; }[]; }; allowed: { items: { p17: string | undefined; }[]; }`)
  has(sent, "Types of property 'p17' are incompatible")
}

const printed = [messages('Legacy decorators', []), messages('Standard decorators', standard)].join('\n')
if (process.env['UPDATE'] === '1') writeFileSync(expected, printed)
assert.equal(printed, readFileSync(expected, 'utf8'), `The messages of ${compiler} are not those of ${expected.pathname}`)
for (const options of [[], standard]) {
  checkWide(compile(options))
  // The sources of the framework, whose files stand in folders, are compiled without this option.
  const exact = compile(['--exactOptionalPropertyTypes', 'true', ...options]).filter((text) => /^\w+\.ts/.test(text))
  checkWide(exact)
  assert.doesNotMatch(exact.join(''), /Consider adding 'undefined'/, 'The message speaks of optional members, which are not what is wrong')
}
console.log(`messages: as in tests/types/messages/messages.txt`)
