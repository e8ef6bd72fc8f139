#!/usr/bin/env node
// Runs the JSON Schema draft 7 suite (Debian's package json-schema-test-suite) against its schemas as an OpenAPI document has them:
// rewritten in draft 2020-12, with a component for each schema that a reference leads to, and read by the 2020 class of ajv. Requires
// every difference from the suite to be one that bare ajv 8 has for the schema as it was.
//   node tests/system/draft2020.mjs [--suite folder of the suite]
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { Components } from '../../dist/decorators/contract/openapi/components.js'

const given = process.argv.indexOf('--suite')
const suite = given === -1 ? '/usr/share/json-schema-test-suite' : process.argv[given + 1]
if (!existsSync(join(suite, 'tests/draft7'))) {
  console.warn(`\n*** DRAFT 7 SUITE NOT RUN: nothing in ${suite}/tests/draft7 (apt-get install json-schema-test-suite) ***\n`)
  process.exit(0)
}

const readFolder = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({ name, content: JSON.parse(readFileSync(join(folder, name), 'utf8')) }))
// The schemas of later drafts are not read: a server with draft 7 refuses them.
const remotes = readFolder(join(suite, 'remotes'))
  .filter(({ name }) => !name.startsWith('draft20'))
  .map(({ name, content }) => [`http://localhost:1234/${name}`, content])
const shared = Object.fromEntries(remotes.map(([url, schema]) => [url, { ...schema, $id: url }]))
const metaSchema = JSON.parse(readFileSync(new URL('../../node_modules/ajv/dist/refs/json-schema-draft-07.json', import.meta.url), 'utf8'))

/** `true`, `false`, or what went wrong, for each value. */
function ask(Engine, values, prepare) {
  try {
    const ajv = new Engine({ strict: false, logger: false })
    addFormats.default(ajv)
    const validate = ajv.compile(prepare(ajv))
    return values.map((value) => validate(value))
  } catch (error) {
    return values.map(() => `compile: ${error.message}`)
  }
}

let total = 0
const likeAjv = []
const own = []
for (const { name, content } of readFolder(join(suite, 'tests/draft7'))) {
  for (const { description, schema, tests } of content) {
    const values = tests.map(({ data }) => data)
    const before = ask(Ajv, values, (ajv) => {
      for (const [url, remote] of remotes) ajv.addSchema(remote, url)
      return schema
    })
    const after = ask(Ajv2020, values, (ajv) => {
      ajv.addMetaSchema(metaSchema)
      const components = new Components(() => {})
      const converted = components.convert(schema, { shared, context: 'App', place: description, name: 'Case' })
      return typeof converted === 'boolean' ? converted : { allOf: [converted], components: { schemas: components.schemas } }
    })
    for (const [index, test] of tests.entries()) {
      total++
      if (after[index] === test.valid) continue
      const line = `${name}: ${description}: ${test.description} (expected ${test.valid}, got ${after[index]})`
      ;(before[index] === test.valid ? own : likeAjv).push(line)
    }
  }
}

console.log(
  `draft 7 suite, rewritten in 2020-12: ${total} cases, ${total - likeAjv.length - own.length} as the standard says, ${likeAjv.length} fail before and after in ajv 8:`,
)
for (const line of likeAjv) console.log(`  ${line}`)
if (own.length > 0) {
  console.error(`${own.length} fail only after:`)
  for (const line of own) console.error(`  ${line}`)
  process.exitCode = 1
}
