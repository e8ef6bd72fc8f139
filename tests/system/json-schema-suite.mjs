/** The JSON Schema draft 7 suite (Debian's package json-schema-test-suite), for programs that compare something with bare ajv 8. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the suite: `--suite <folder>`. The program ends if it is not there. */
function findSuite() {
  const given = process.argv.indexOf('--suite')
  const suite = given === -1 ? '/usr/share/json-schema-test-suite' : process.argv[given + 1]
  if (existsSync(join(suite, 'tests/draft7'))) return suite
  console.warn(`\n*** DRAFT 7 SUITE NOT RUN: nothing in ${suite}/tests/draft7 (apt-get install json-schema-test-suite) ***\n`)
  return process.exit(0)
}

const suite = findSuite()

function readFolder(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({ name, content: JSON.parse(readFileSync(join(folder, name), 'utf8')) }))
}

/** The schemas that those of the suite refer to, by name, each with the URL by which they do. */
export const remotes = readFolder(join(suite, 'remotes')).map(({ name, content }) => ({
  name,
  url: `http://localhost:1234/${name}`,
  schema: content,
}))

/**
 * Asks ours and bare ajv for the verdict on every case, and prints the cases in which ours is not that of the suite. The program exits with 1
 * if bare ajv is right in one of them.
 * @param texts.title of the first line; texts.alike and texts.alone say of how many cases both, or ours alone, are wrong
 * @param ask returns two lists: `true`, `false`, or what went wrong, for each value
 */
export async function compareWithAjv({ title, alike, alone }, ask) {
  let total = 0
  const shared = []
  const own = []
  for (const { name, content } of readFolder(join(suite, 'tests/draft7'))) {
    for (const { description, schema, tests } of content) {
      const values = tests.map(({ data }) => data)
      const [ours, theirs] = await ask(schema, values, description)
      for (const [index, test] of tests.entries()) {
        total++
        if (ours[index] === test.valid) continue
        const line = `${name}: ${description}: ${test.description} (expected ${test.valid}, got ${ours[index]})`
        ;(theirs[index] === test.valid ? own : shared).push(line)
      }
    }
  }
  console.log(`${title}: ${total} cases, ${total - shared.length - own.length} as the standard says, ${shared.length} ${alike}:`)
  for (const line of shared) console.log(`  ${line}`)
  if (own.length === 0) return
  console.error(`${own.length} ${alone}:`)
  for (const line of own) console.error(`  ${line}`)
  process.exitCode = 1
}
