#!/usr/bin/env node
// Runs the JSON Schema draft 7 suite (Debian's package json-schema-test-suite) against bodies as routes validate them, and
// requires every failure to be one that bare ajv 8 has too.
//   node tests/system/draft7.mjs [--suite folder of the suite]
// Shorthand, coercion, defaults and removal are off: they are meant to differ from the standard.
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { createServer } from '../../dist/lib/index.js'
import { compareWithAjv, remotes } from './json-schema-suite.mjs'

const options = { strict: false, coerceTypes: false, useDefaults: false, removeAdditional: false, logger: false }

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

await compareWithAjv({ title: 'draft 7 suite', alike: 'fail as in bare ajv 8', alone: 'fail here alone' }, async (schema, values) => [
  await askServer(schema, values),
  askAjv(schema, values),
])
