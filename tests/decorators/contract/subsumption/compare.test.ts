/** Comparison of schemas: proofs, counterexamples, and neither. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import fc from 'fast-check'
import { Generator } from '../../../../decorators/contract/document/generator.js'
import { SchemaComparison } from '../../../../decorators/contract/subsumption/compare.js'
import { SchemaPool } from '../../../../decorators/contract/subsumption/schemas.js'
import { type Reading, Validators } from '../../../../decorators/contract/subsumption/validators.js'
import { createDocumentValidator } from '../../../../lib/internal.js'
import { type SchemaPair, schemaPairs } from '../../../fixtures/schema-pairs.js'

const generator = await Generator.load('the test')

async function findingsOf(
  {
    wide,
    narrow,
    strict = false,
    components = {},
    wideComponents = components,
  }: Omit<SchemaPair, 'title' | 'answer' | 'strict'> & { readonly strict?: boolean },
  seed = 1,
) {
  const comparison = await SchemaComparison.create({ old: components, new: wideComponents }, { strict, generator, seed })
  return comparison.compare([wide, 'new'], [narrow, 'old'])
}

function answerOf(findings: Awaited<ReturnType<typeof findingsOf>>): SchemaPair['answer'] {
  if (findings.some(({ answer }) => answer === 'breaking')) return 'breaking'
  return findings.length === 0 ? 'compatible' : 'unknown'
}

function validatorOf(schema: unknown, components: object): (value: unknown) => boolean | undefined {
  const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true })
  ajvFormats.default(ajv)
  const validate = ajv.compile({ allOf: [schema as object], components: { schemas: components } })
  return (value) => {
    try {
      return validate(value)
    } catch {
      // The code that ajv writes fails for some values beside `patternProperties` in an alternative.
      return undefined
    }
  }
}

describe('a schema takes the values of another one', () => {
  for (const pair of schemaPairs)
    test(`${pair.answer}: ${pair.title}`, async () => {
      const { wide, narrow, answer, components = {}, wideComponents = components } = pair
      const findings = await findingsOf(pair)
      assert.equal(answerOf(findings), answer, JSON.stringify(findings))
      for (const { answer: found, reason, example } of findings) {
        assert.notEqual(reason, '')
        if (found === 'unknown') continue
        assert.ok(validatorOf(narrow, components)(example), `${JSON.stringify(example)} does not come`)
        assert.ok(!validatorOf(wide, wideComponents)(example), `${JSON.stringify(example)} is taken`)
      }
    })

  test('the table has at least 120 pairs, each answer many times', () => {
    const countOf = (wanted: string): number => schemaPairs.filter(({ answer }) => answer === wanted).length
    assert.ok(schemaPairs.length >= 120, `${schemaPairs.length} pairs`)
    assert.ok(countOf('compatible') > 50 && countOf('breaking') > 50 && countOf('unknown') > 5)
  })
})

/** Schemas of all keywords whose values meet often: few names, few numbers, few texts. */
const { schema: someSchema } = fc.letrec<{ schema: object; scalar: object; composed: object }>((tie) => {
  const few = fc.integer({ min: 0, max: 3 })
  const name = fc.constantFrom('a', 'b', 'c')
  const value = fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 0.5, '', 'a', 'ab', [], {}, { a: 1 })
  const anySchema = fc.oneof({ weight: 12, arbitrary: tie('schema') }, { weight: 1, arbitrary: fc.boolean() })
  const type = fc.constantFrom<unknown>(
    'string',
    'integer',
    'number',
    'boolean',
    'null',
    'array',
    'object',
    ['string', 'null'],
    ['integer', 'object'],
  )
  const partly = (members: Record<string, fc.Arbitrary<unknown>>) => fc.record(members, { requiredKeys: [] })
  return {
    scalar: fc.oneof(
      fc.record({ type }),
      fc.record({ enum: fc.uniqueArray(value, { minLength: 1, maxLength: 4 }) }),
      partly({ type: fc.constantFrom('integer', 'number'), minimum: few, maximum: few, multipleOf: fc.constantFrom(1, 2, 0.5) }),
      partly({ exclusiveMinimum: few, exclusiveMaximum: few }),
      partly({ type: fc.constant('string'), minLength: few, maxLength: few, pattern: fc.constantFrom('^a', 'b$', '^[ab]*$') }),
    ),
    composed: fc.oneof(
      {
        weight: 4,
        arbitrary: partly({
          type: fc.constant('object'),
          properties: fc.dictionary(name, anySchema, { maxKeys: 3 }),
          required: fc.uniqueArray(name, { maxLength: 2 }),
          additionalProperties: anySchema,
          minProperties: few,
          maxProperties: few,
        }),
      },
      partly({
        patternProperties: fc.dictionary(fc.constantFrom('^a', '[bc]'), anySchema, { maxKeys: 2 }),
        propertyNames: fc.constantFrom({ maxLength: 1 }, { enum: ['a', 'b'] }, { pattern: '^[ab]' }),
        dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 1 }),
        dependentSchemas: fc.dictionary(name, anySchema, { maxKeys: 1 }),
      }),
      fc.record({ allOf: fc.tuple(tie('composed'), tie('composed')), unevaluatedProperties: anySchema }),
      {
        weight: 2,
        arbitrary: partly({
          type: fc.constant('array'),
          items: anySchema,
          prefixItems: fc.array(anySchema, { minLength: 1, maxLength: 2 }),
          minItems: few,
          maxItems: few,
          uniqueItems: fc.boolean(),
          contains: anySchema,
        }),
      },
      fc.record({ allOf: fc.array(anySchema, { minLength: 1, maxLength: 2 }) }),
      fc.record({ anyOf: fc.array(anySchema, { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(anySchema, { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: anySchema }),
      partly({ if: anySchema, then: anySchema, else: anySchema }),
    ),
    schema: fc.oneof({ maxDepth: 3, withCrossShrink: true }, tie('scalar'), tie('composed')),
  }
})

/** A schema, and one that differs from it in a few places, so that neither answer is rare. */
const somePair = fc.oneof(
  fc.tuple(someSchema, someSchema),
  fc.tuple(someSchema, someSchema).map(([one, other]) => [one, { ...other, ...one }]),
  fc.tuple(someSchema, someSchema).map(([one, other]) => [{ anyOf: [one, other] }, one]),
  fc.tuple(someSchema, someSchema).map(([one, other]) => [one, { allOf: [other, one] }]),
  fc
    .tuple(someSchema, someSchema)
    .map(([one, other]) => [{ properties: { a: one } }, { properties: { a: { allOf: [one, other] } }, required: ['a'] }]),
)

/** Values that fit the schemas above often. */
const { value: someValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, false, 0, 1, 2, 3, 0.5, -1, '', 'a', 'b', 'ab', 'ba', 'abc', 'x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'ab', 'x'), tie('value'), { maxKeys: 3 }),
  ),
}))

const RUNS = Number(process.env['PAIRS'] ?? 40)
const SEED = Number(process.env['SEED'] ?? 35)
const values = JSON.parse(JSON.stringify(fc.sample(someValue, { numRuns: 1000, seed: 1 }))) as unknown[]
const validator = await createDocumentValidator()

/** Holds the answers about generated pairs of schemas against a thousand values of each. */
async function holdAnswers(options: { readonly strict: boolean; readonly reading: Reading }, tried: readonly unknown[]): Promise<void> {
  const { strict, reading } = options
  const counts = { compatible: 0, breaking: 0, unknown: 0 }
  const check = async ([wide, narrow]: readonly unknown[]): Promise<void> => {
    const comparison = await SchemaComparison.create({ old: {}, new: {} }, { strict, generator })
    const findings = comparison.compare([wide, 'new'], [narrow, 'old'], [], reading)
    const answer = answerOf(findings)
    counts[answer]++
    const takes = readerOf(wide, true, reading)
    const comes = readerOf(narrow, strict, reading)
    for (const { answer: found, example } of findings)
      if (found === 'breaking')
        assert.ok(
          comes(example) === true && takes(example) === false,
          `the example ${JSON.stringify(example)} of ${JSON.stringify(findings)}`,
        )
    if (answer !== 'compatible') return
    const own = Array.from({ length: 1000 }, (_, seed) => generatedBy(narrow, seed))
    const refused = [...own, ...tried].find((value) => value !== undefined && comes(value) === true && takes(value) === false)
    assert.equal(refused, undefined, `${JSON.stringify(refused)} is refused`)
  }
  await fc.assert(fc.asyncProperty(somePair, check), { numRuns: RUNS, seed: SEED })
  assert.ok(counts.compatible > RUNS / 25 && counts.breaking > RUNS / 25, JSON.stringify(counts))
}

/** Returns whether a value is valid for a schema. Without `strict`, its objects have only the members that the schema names. */
function readerOf(schema: unknown, strict: boolean, reading: Reading): (value: unknown) => boolean | undefined {
  const pool = new SchemaPool({ old: {}, new: {} })
  if (reading === 'text') {
    const find = validator.compileForText('value', schema as object, {})
    return (value) => {
      const texts = [value].flat().map(String)
      // A parameter that is written once arrives as a text.
      return texts.length > 0 && find(texts.length === 1 ? texts[0] : texts) === undefined
    }
  }
  if (strict) return validatorOf(schema, {})
  const validators = new Validators(validator, pool)
  const read = pool.read(schema, 'old')
  return (value) => validators.problemOf(read, value, 'json', true) === undefined
}

describe('each schema that is said to take all values of another one takes 1,000 generated values, and each example is right', () => {
  test('if members that no schema names may come', () => holdAnswers({ strict: true, reading: 'json' }, values))

  test('if they do not come', () => holdAnswers({ strict: false, reading: 'json' }, values))

  test('if the values are texts of parameters', () => {
    const texts = [
      '',
      'a',
      'b',
      'ab',
      'true',
      'false',
      'null',
      '0',
      '1',
      '2',
      '3',
      '-1',
      '0.5',
      '1e0',
      ' 1',
      [],
      ['a'],
      ['1', '1'],
      ['true', 'x', '2'],
    ]
    return holdAnswers({ strict: false, reading: 'text' }, texts)
  })
})

function generatedBy(schema: unknown, seed: number): unknown {
  try {
    return generator.generate(schema as object, {}, seed, seed % 4)
  } catch {
    return undefined
  }
}
