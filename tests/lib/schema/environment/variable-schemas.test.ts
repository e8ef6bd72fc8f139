/** Which schemas describe a variable: tried by `writeOnly`, which may stand in any of them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import { Type as OldType } from '@sinclair/typebox'
import { Type } from 'typebox'
import { z } from 'zod'
import { environment } from 'alcove'

const secret = { type: 'string', writeOnly: true } as const
const text = { type: 'string' } as const
/** A schema of the variables SECRET and OTHER. */
const withSecret = (schema: object, more: object = {}): object => ({ type: 'object', properties: { SECRET: schema, OTHER: text }, ...more })
/** The same as a schema of Zod, and as shorthand with Zod. */
const ofZod = (schema: z.ZodType): object[] => {
  const shape = { SECRET: schema, OTHER: z.string().optional() }
  return [z.object(shape), shape, z.object(shape).and(z.object({ THIRD: z.string().optional() }))]
}
const ofSecret = { properties: { SECRET: { writeOnly: true } } }
const markedZod = z.string().meta({ writeOnly: true })
const namedZod = z.string().meta({ id: 'Secret', writeOnly: true })

const marks: readonly (readonly [form: string, schemas: readonly object[]])[] = [
  ['directly', [withSecret(secret), { SECRET: secret, OTHER: text }]],
  ['behind a reference', [withSecret({ $ref: '#/definitions/s' }, { definitions: { s: secret } })]],
  [
    'behind references in a row and in a circle',
    [
      withSecret(
        { $ref: '#/definitions/a%20b' },
        { definitions: { 'a b': { ...text, anyOf: [{ $ref: '#/definitions/s' }, { $ref: '#/definitions/a%20b' }] }, s: secret } },
      ),
    ],
  ],
  [
    'behind a reference to an $id, and one within its schema',
    [
      withSecret(
        { $ref: 'inner' },
        { definitions: { x: { $id: 'inner', allOf: [{ $ref: '#/definitions/s' }], definitions: { s: secret } } } },
      ),
    ],
  ],
  ['behind a reference to a name', [withSecret({ $ref: '#s' }, { definitions: { s: { $id: '#s', ...secret } } })]],
  ['beside a reference', [withSecret({ $ref: '#/definitions/s', writeOnly: true }, { definitions: { s: text } })]],
  [
    'behind a reference to another variable',
    [withSecret({ $ref: '#/properties/KEY' }, { properties: { SECRET: { $ref: '#/properties/KEY' }, KEY: secret, OTHER: text } })],
  ],
  ...['allOf', 'anyOf', 'oneOf'].map(
    (keyword) =>
      [
        `in ${keyword}`,
        [
          withSecret({ [keyword]: [secret, { type: 'integer' }].slice(0, keyword === 'allOf' ? 1 : 2) }),
          withSecret({ ...text, allOf: [{ [keyword]: [{ writeOnly: true }] }] }),
          withSecret(text, { [keyword]: [ofSecret] }),
        ],
      ] as const,
  ),
  ...['then', 'else'].map(
    (keyword) =>
      [
        `in ${keyword}`,
        [
          withSecret({ ...text, if: { minLength: keyword === 'then' ? 1 : 100 }, [keyword]: { writeOnly: true } }),
          withSecret(text, { if: { required: [keyword === 'then' ? 'SECRET' : 'OTHER'] }, [keyword]: ofSecret }),
        ],
      ] as const,
  ),
  ['in dependencies', [withSecret(text, { dependencies: { SECRET: ofSecret, OTHER: ['SECRET'] } })]],
  [
    'for its name or all other names',
    [
      withSecret(text, { allOf: [{ patternProperties: { '^SEC': { writeOnly: true } } }] }),
      withSecret(text, { allOf: [{ properties: { OTHER: text }, additionalProperties: { writeOnly: true } }] }),
    ],
  ],
  [
    'in TypeBox',
    [
      Type.Object({ SECRET: Type.Union([Type.String({ writeOnly: true }), Type.Null()]), OTHER: Type.Optional(Type.String()) }),
      Type.Object({ SECRET: Type.Optional(Type.String({ writeOnly: true })), OTHER: Type.Optional(Type.String()) }),
      Type.Object({
        SECRET: Type.Intersect([Type.String({ writeOnly: true }), Type.String({ minLength: 1 })]),
        OTHER: Type.Optional(Type.String()),
      }),
      Type.Object(
        { SECRET: Type.Ref('Secret'), OTHER: Type.Optional(Type.String()) },
        { $defs: { Secret: Type.String({ $id: 'Secret', writeOnly: true }) } },
      ),
      OldType.Object({
        SECRET: OldType.Union([OldType.String({ writeOnly: true }), OldType.Null()]),
        OTHER: OldType.Optional(OldType.String()),
      }),
    ],
  ],
  ...Object.entries({
    'in Zod': markedZod,
    'in Zod, nullable': markedZod.nullable(),
    'in Zod, optional': markedZod.optional(),
    'in Zod, with a default': markedZod.default('x'),
    'in Zod, with an id': namedZod,
    'in Zod, nullable with an id': namedZod.nullable(),
    'in Zod, optional with an id': namedZod.optional(),
    'in Zod, with a default and an id': namedZod.default('x'),
    'in Zod, with an id and checks': namedZod.min(3).optional(),
    'in Zod, as an alternative': z.union([z.literal('a'), namedZod]),
    'in Zod, in an intersection': markedZod.and(z.string().min(2)),
    'in Zod, before a transformation': namedZod.transform((value) => value.trim()),
    'in Zod, after a transformation': z
      .string()
      .transform((value) => value.trim())
      .pipe(namedZod),
  }).map(([form, schema]) => [form, ofZod(schema)] as const),
  [
    'in Zod, for a variable that a transformation renames',
    [
      z
        .object({ KEY: z.string().optional() })
        .transform(() => ({ SECRET: 'hunter2', OTHER: 'shown' }))
        .pipe(z.object({ SECRET: namedZod, OTHER: z.string() })),
    ],
  ],
]

describe('the value of a variable is not shown if writeOnly is', () => {
  for (const [form, schemas] of marks) {
    test(form, () => {
      for (const schema of schemas) {
        class Marked extends environment(schema) {}
        const settings = new Marked({ SECRET: 'hunter2', OTHER: 'shown' })
        assert.equal(Reflect.get(settings, 'SECRET'), 'hunter2')
        assert.deepEqual(Object.assign({}, settings), { OTHER: 'shown' }, JSON.stringify(schema))
        assert.deepEqual(JSON.parse(JSON.stringify(settings)), { OTHER: 'shown', SECRET: '[secret]' })
        assert.equal(inspect(settings), "{ OTHER: 'shown', SECRET: '[secret]' }")
      }
    })
  }
})

test('a report has no value of a secret, wherever the schema marks it', () => {
  const short = { type: 'object', definitions: { s: { minLength: 9, ...secret } }, properties: { SECRET: { $ref: '#/definitions/s' } } }
  class Short extends environment(short) {}
  assert.throws(() => new Short({ SECRET: 'hunter2' }), /SECRET \(Short\) must be a value that its schema allows\.\n/)
  for (const SECRET of [namedZod, namedZod.optional(), markedZod.nullable(), z.string().pipe(namedZod)]) {
    for (const path of [[], ['OTHER'], ['SECRET']]) {
      const schema = z.object({ SECRET, OTHER: z.string().optional() }).superRefine(({ SECRET: value }, context) => {
        context.addIssue({ code: 'custom', path, message: `says ${value}` })
      })
      class Quoting extends environment(schema) {}
      assert.throws(() => new Quoting({ SECRET: 'hunter2', OTHER: 'x' }), /is invalid: says …\.\n/)
    }
  }
})

const list = { type: 'array', items: text }
const zodList = z.array(z.string())

describe('a variable that is a list or an object is refused', () => {
  for (const [form, schemas] of [
    ['in anyOf', [withSecret({ anyOf: [list] }), withSecret({ anyOf: [text, list] }), withSecret({ anyOf: [{ type: 'object' }, text] })]],
    ['in allOf', [withSecret({ allOf: [list] }), withSecret({}, { allOf: [{ properties: { SECRET: list } }] })]],
    ['behind a reference', [withSecret({ $ref: '#/definitions/l' }, { definitions: { l: list } })]],
    ['among several types', [withSecret({ type: ['string', 'array'], items: text })]],
    ['in TypeBox', [Type.Object({ SECRET: Type.Union([Type.Array(Type.String()), Type.Null()]) })]],
    [
      'in Zod',
      [zodList, zodList.nullable(), zodList.meta({ id: 'List' }), z.union([z.number(), zodList]), z.object({}).nullable()].flatMap(ofZod),
    ],
  ] as const) {
    test(form, () => {
      for (const schema of schemas)
        assert.throws(() => environment(schema), {
          code: 'ALC_ERR_ENVIRONMENT_SCHEMA_INVALID',
          message: /SECRET is a list or an object, but a variable is one text\. Write type: 'string'/,
        })
    })
  }

  test('unless a library has it beside a text, or makes it of one', () => {
    const split = z.string().transform((value) => value.split(','))
    for (const schema of [split, split.pipe(zodList), z.union([split, zodList])]) {
      class Split extends environment(z.object({ SECRET: schema })) {}
      assert.deepEqual(new Split({ SECRET: 'a,b' }).SECRET, ['a', 'b'])
    }
  })
})
