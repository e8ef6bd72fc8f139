/**
 * Prints the files that Node's test runner runs for the compiled tests of some folders; without folders, for all tests of `npm test`:
 * `node tests/groups.mjs [folder …] [--without=name,name]`.
 * The runner starts a process for each file, and each process loads alcove. That took more than half of the time of 340 files. So tests of a
 * folder share a process: this script writes files that import up to eight of them. `npm run test:nodes` runs each file in its own process.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'

const MAX_FILES = 8
const out = 'dist/tests/groups'
/** Tests that start processes of the command, or install packages. `.ci/system.sh` runs them. */
const slow = /^dist\/tests\/(?:system|decorators\/commands|decorators\/cli\.test\.js)/
/** Tests that change what others in their process would see: the clock, variables of the environment, the heap, which tests are loaded. */
const alone = [
  'lib/http/connection-states',
  'lib/http/drain-connections',
  'lib/http/http2',
  'lib/lifecycle/ending/pending-work',
  'lib/lifecycle/ending/request-deadline',
  'lib/lifecycle/ending/unread-body',
  'lib/util/chunk-list',
  'rules/coverage',
  'samples/questions',
  'security/node-internals',
  'security/providers',
].map((name) => `dist/tests/${name}.test.js`)

function testsIn(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join(folder, name))
}

function groupsOf(files) {
  const shared = new Map()
  for (const file of files.toSorted()) {
    const folder = alone.includes(file) ? file : dirname(file)
    shared.set(folder, [...(shared.get(folder) ?? []), file])
  }
  return [...shared].flatMap(([folder, files]) => {
    const count = Math.ceil(files.length / MAX_FILES)
    return Array.from({ length: count }, (_, part) => ({ folder, part, files: files.filter((_, index) => index % count === part) }))
  })
}

function write({ folder, part, files }) {
  const file = join(out, `${relative('dist', folder).replace('.test.js', '').replaceAll('/', '-')}-${part + 1}.js`)
  writeFileSync(file, files.map((each) => `import '${relative(out, each)}'\n`).join(''))
  return file
}

const { values, positionals: folders } = parseArgs({ allowPositionals: true, options: { without: { type: 'string', default: '' } } })
const left = new Set(values.without.split(',').map((name) => `${name}.test.js`))
const all =
  folders.length > 0 ? folders.flatMap(testsIn) : ['dist/tests', 'dist/samples'].flatMap(testsIn).filter((file) => !slow.test(file))
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
console.log(
  groupsOf(all.filter((file) => !left.has(basename(file))))
    .map(write)
    .join(' '),
)
