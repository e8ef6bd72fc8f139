#!/usr/bin/env node
// Runs the JSON Schema draft 7 suite (Debian's package json-schema-test-suite) against bodies as routes validate them, and
// requires every failure to be one that bare ajv 8 has too.
//   node tests/system/draft7.mjs [--suite folder of the suite]
// Shorthand, coercion, defaults and removal are off: they are meant to differ from the standard.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { createServer } from '../../dist/lib/index.js'

const given = process.argv.indexOf('--suite')
const suite = given === -1 ? '/usr/share/json-schema-test-suite' : process.argv[given + 1]
if (!existsSync(join(suite, 'tests/draft7'))) {
  console.warn(`\n*** DRAFT 7 SUITE NOT RUN: nothing in ${suite}/tests/draft7 (apt-get install json-schema-test-suite) ***\n`)
  process.exit(0)
}

const options = { strict: false, coerceTypes: false, useDefaults: false, removeAdditional: false, logger: false }
const readFolder = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({ name, content: JSON.parse(readFileSync(join(folder, name), 'utf8')) }))
const remotes = readFolder(join(suite, 'remotes')).map(({ name, content }) => ({ url: `http://localhost:1234/${name}`, schema: content }))

/** `true`, `false`, or what went wrong, for each value. */
async function askServer(schema, values) {
  const server = createServer({
    jsonShorthand: false,
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    jsv: { customOptions: options },
  })
  try {
    for (const remote of remotes) server.addSchema({ ...remote.schema, $id: remote.url })
    server.post('/', { schema: { body: schema } }, () => ({ reached: true }))
    await server.ready()
    const results = []
    for (const value of values) {
      const reply = await server.inject({
        method: 'POST',
        url: '/',
        payload: JSON.stringify(value),
        headers: { 'content-type': 'application/json' },
      })
      results.push(reply.statusCode === 200 ? true : reply.statusCode === 400 ? false : `status ${reply.statusCode}`)
    }
    return results
  } catch (error) {
    return values.map(() => `boot: ${error.message}`)
  } finally {
    await server.close().catch(() => {})
  }
}

function askAjv(schema, values) {
  try {
    const ajv = new Ajv({ strict: false, logger: false })
    addFormats.default(ajv)
    for (const remote of remotes) ajv.addSchema(remote.schema, remote.url)
    const validate = ajv.compile(schema)
    return values.map((value) => validate(value))
  } catch (error) {
    return values.map(() => `compile: ${error.message}`)
  }
}

let total = 0
const shared = []
const own = []
for (const { name, content } of readFolder(join(suite, 'tests/draft7'))) {
  for (const { description, schema, tests } of content) {
    const values = tests.map(({ data }) => data)
    const [ours, theirs] = [await askServer(schema, values), askAjv(schema, values)]
    for (const [index, test] of tests.entries()) {
      total++
      if (ours[index] === test.valid) continue
      const line = `${name}: ${description}: ${test.description} (expected ${test.valid}, got ${ours[index]})`
      ;(theirs[index] === test.valid ? own : shared).push(line)
    }
  }
}

console.log(
  `draft 7 suite: ${total} cases, ${total - shared.length - own.length} as the standard says, ${shared.length} fail as in bare ajv 8:`,
)
for (const line of shared) console.log(`  ${line}`)
if (own.length > 0) {
  console.error(`${own.length} fail here alone:`)
  for (const line of own) console.error(`  ${line}`)
  process.exitCode = 1
}
