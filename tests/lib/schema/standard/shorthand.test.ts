/** Shorthand with schemas of a library, as documents have it. How it validates is tested in tests/rules/standard-schema.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { createShorthand } from '../../../../lib/schema/standard/shorthand.js'
import { tryToConvert } from '../../../../lib/schema/standard/standard-schema.js'
import { ReferenceTargets } from '../../../../lib/schema/json-schema/reference-targets.js'

test('the references of schemas with an id lead to these schemas, also if two have the same id', () => {
  const named = (format: string) => z.string().meta({ id: 'Named', format })
  const json: any = tryToConvert(createShorthand({ a: named('uri'), 'b/~ %': named('uuid').optional() }))
  const targets = new ReferenceTargets({})
  const targetOf = (reference: string): unknown => targets.resolve(reference, targets.read(json))?.schema
  assert.deepEqual(targets.findDangling(json), [])
  assert.deepEqual(targetOf(json.properties.a.$ref), { type: 'string', format: 'uri' })
  assert.deepEqual(targetOf(json.properties['b/~ %'].allOf[0].$ref), { type: 'string', format: 'uuid' })
})
