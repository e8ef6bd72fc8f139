#!/usr/bin/env node
// Runs the JSON Schema draft 7 suite (Debian's package json-schema-test-suite) against its schemas as an OpenAPI document has them:
// rewritten in draft 2020-12, with a component for each schema that a reference leads to, and read by the 2020 class of ajv. Requires
// every difference from the suite to be one that bare ajv 8 has for the schema as it was.
//   node tests/system/draft2020.mjs [--suite folder of the suite]
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { Components } from '../../dist/decorators/contract/openapi/components.js'
import { compareWithAjv, remotes } from './json-schema-suite.mjs'

// The schemas of later drafts are not read: a server with draft 7 refuses them.
const ofDraft7 = remotes.filter(({ name }) => !name.startsWith('draft20'))
const shared = Object.fromEntries(ofDraft7.map(({ url, schema }) => [url, { ...schema, $id: url }]))
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

await compareWithAjv(
  { title: 'draft 7 suite, rewritten in 2020-12', alike: 'fail before and after in ajv 8', alone: 'fail only after' },
  (schema, values, description) => {
    const before = ask(Ajv, values, (ajv) => {
      for (const remote of ofDraft7) ajv.addSchema(remote.schema, remote.url)
      return schema
    })
    const after = ask(Ajv2020, values, (ajv) => {
      ajv.addMetaSchema(metaSchema)
      const components = new Components(() => {})
      const converted = components.convert(schema, { shared, context: 'App', place: description, name: 'Case' })
      return typeof converted === 'boolean' ? converted : { allOf: [converted], components: { schemas: components.schemas } }
    })
    return [after, before]
  },
)
