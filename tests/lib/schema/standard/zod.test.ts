/** Which schemas of Zod are read as exact, so that ajv alone validates them. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createServer, describeContexts } from 'alcove/lib'
import { rolldown } from 'rolldown'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { compareWithLibrary, toZod } from '../../../fixtures/described-schemas.js'

/** The engine of a property with this schema. */
async function engineOf(schema: z.core.$ZodType): Promise<string | undefined> {
  const server = createServer()
  server.post('/', { schema: { body: z.object({ value: schema }) } }, () => '')
  await server.ready()
  const [route] = describeContexts(server).routes
  await server.close()
  return route!.engines.body
}

enum Level {
  Low,
  High,
}
const recursive: z.ZodType = z.object({
  get inner() {
    return recursive.optional()
  },
})
const derived = z.core.$constructor('Shouted', (inst: z.core.$ZodString, def: z.core.$ZodStringDef) => {
  z.core.$ZodString.init(inst, def)
  const { parse } = inst._zod
  inst._zod.parse = (payload, context) =>
    payload.value === 'quiet' ? (payload.issues.push({ code: 'custom', input: 1, inst }), payload) : parse(payload, context)
})

const exact: Record<string, z.core.$ZodType> = {
  string: z.string(),
  'string of a length': z.string().min(1).max(20),
  number: z.number().min(1).lt(5).positive(),
  integer: z.int().max(9),
  'number, then integer': z.number().int(),
  boolean: z.boolean(),
  null: z.null(),
  literal: z.literal(['a', 1, true, null]),
  enum: z.enum(['a', 'b']),
  'list of a length': z.array(z.string()).nonempty().max(3),
  'loose object': z.looseObject({ a: z.string() }),
  'nullable object': z.object({ a: z.string() }).nullable(),
  'optional properties': z.object({ a: z.string() }).partial(),
  'union of types': z.union([z.string(), z.number(), z.null()]),
  'with a description': z.string().describe('a name').meta({ pattern: '^x$', minLength: 9 }),
  'of Zod Mini': mini.object({ a: mini.optional(mini.string()) }),
}
for (const [name, schema] of Object.entries(exact)) {
  test(`${name}: ajv alone validates`, async () => assert.equal(await engineOf(schema), 'ajv'))
}

const inexact: Record<string, z.core.$ZodType> = {
  refine: z.string().refine(() => true),
  superRefine: z.number().superRefine(() => {}),
  check: z.array(z.string()).check(() => {}),
  'refined object': z.object({}).refine(() => true),
  transform: z.string().transform(Number),
  trim: z.string().trim(),
  pipe: z.string().pipe(z.string()),
  preprocess: z.preprocess(String, z.string()),
  codec: z.stringbool(),
  coerce: z.coerce.number(),
  pattern: z.string().regex(/a/),
  format: z.email(),
  'start of a text': z.string().startsWith('a'),
  multiple: z.number().multipleOf(2),
  'format of numbers': z.float32(),
  date: z.date(),
  bigint: z.bigint(),
  any: z.any(),
  unknown: z.unknown(),
  custom: z.custom(() => true),
  default: z.string().default('a'),
  prefault: z.string().prefault('a'),
  catch: z.string().catch('a'),
  readonly: z.object({}).readonly(),
  lazy: z.lazy(() => z.string()),
  circle: recursive,
  record: z.record(z.string(), z.string()),
  tuple: z.tuple([z.string()]),
  map: z.map(z.string(), z.string()),
  intersection: z.intersection(z.object({}), z.object({})),
  'strict object': z.strictObject({}),
  'object with a rest': z.object({}).catchall(z.string()),
  'union of objects': z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
  'enum of numbers': z.enum(Level),
  'message of a type': z.string('a name, please'),
  'message of a check': z.string().min(3, 'longer, please'),
  'check under a condition': z.string().min(3, { when: () => false } as object),
  'name that every object has': z.object({ constructor: z.string() }),
  'derived class': new derived({ type: 'string' }),
}
for (const [name, schema] of Object.entries(inexact)) {
  test(`${name}: Zod validates`, async () => assert.equal(await engineOf(schema), 'Zod'))
}

test('Zod is read in the same way in a minified bundle, so that a build fits it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'alcove-zod-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const bundle = await rolldown({ input: fileURLToPath(import.meta.resolve('zod')) })
  await bundle.write({ file: join(folder, 'zod.mjs'), minify: true })
  await bundle.close()
  const { z: minified } = (await import(pathToFileURL(join(folder, 'zod.mjs')).href)) as { z: typeof z }
  assert.equal(await engineOf(minified.string().min(1).max(20)), 'ajv')
  assert.equal(await engineOf(minified.array(minified.string()).length(3)), 'ajv')
  assert.equal(await engineOf(minified.string().min(3, { when: () => false } as object)), 'Zod')
})

test('a list that is not an object can be the whole body', async () => {
  const server = createServer()
  server.post('/list', { schema: { body: z.array(z.string()) } }, () => '')
  server.post('/text', { schema: { body: z.string() } }, () => '')
  await server.ready()
  assert.deepEqual(
    describeContexts(server).routes.map(({ engines }) => engines.body),
    ['ajv', 'Zod'],
  )
})

test('generated schemas accept what Zod accepts, and hand over its output', async () => {
  // `npm run test:libraries` compares more, also with other libraries.
  const { accepted, refused, byAjv } = await compareWithLibrary((description) => toZod(description), {
    count: 600,
    seed: 1,
  })
  assert.ok(accepted > 1000 && refused > 500 && byAjv > 100, JSON.stringify({ accepted, refused, byAjv }))
})
