/** Comparison of the operations of two OpenAPI documents: requests, replies, security, routes that are gone. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ComparedRoute } from '../../../../decorators/contract/compare/compare-types.js'
import { compareOperations } from '../../../../decorators/contract/compare/operations.js'
import { Generator } from '../../../../decorators/contract/document/generator.js'
import { readContract } from '../../../../decorators/contract/document/read.js'
import { SchemaComparison } from '../../../../decorators/contract/subsumption/compare.js'
import { hard } from '../../../fixtures/contracts/hard.js'
import { shop } from '../../../fixtures/contracts/shop.js'

const generator = await Generator.load('the test')
const today = new Date('2026-11-25')

async function compare(old: unknown, now: unknown): Promise<ComparedRoute[]> {
  const [before, after] = [readContract(old), readContract(now)]
  const comparison = await SchemaComparison.create({ old: before.schemas, new: after.schemas }, { generator })
  return compareOperations(before, after, comparison, today)
}

const pet = { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: { type: 'string' } } }

function base(): any {
  return {
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    components: {
      schemas: { Pet: pet },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        key: { type: 'apiKey', in: 'header', name: 'x-key' },
        login: { type: 'oauth2', flows: {} },
      },
    },
    paths: {
      '/pets/{id}': {
        get: {
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
            { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
            { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
            { name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          ],
          security: [{ token: [] }],
          responses: {
            200: {
              description: 'The pet',
              headers: { 'X-Total': { schema: { type: 'integer' } } },
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
            },
            404: { description: 'None', content: { 'application/json': { schema: { type: 'object' } } } },
          },
        },
        put: {
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
          requestBody: {
            content: { 'application/json': { schema: { anyOf: [pet, { type: 'null' }] } }, 'text/csv': { schema: { type: 'string' } } },
          },
          responses: { 204: { description: 'Changed' } },
        },
      },
    },
  }
}

type Row = readonly [
  title: string,
  change: (operation: any, document: any) => void,
  answer: ComparedRoute['answer'],
  reason: RegExp | undefined,
  example?: unknown,
]

const parameter = ({ parameters }: any, name: string): any => parameters.find((each: any) => each.name === name)

const changesOfGet: readonly Row[] = [
  ['nothing', () => {}, 'compatible', undefined],
  [
    'texts for readers',
    (get) => Object.assign(get, { summary: 'A pet', description: 'Finds a pet', tags: ['pets'], operationId: 'findPet' }),
    'compatible',
    undefined,
  ],
  // Requests
  [
    'an optional query parameter from now on',
    ({ parameters }) => parameters.push({ name: 'q', in: 'query', schema: { type: 'string' } }),
    'compatible',
    /^query q is new, and may be left out$/,
  ],
  [
    'a demanded query parameter from now on',
    ({ parameters }) => parameters.push({ name: 'q', in: 'query', required: true, schema: { type: 'string' } }),
    'breaking',
    /^query q is demanded, and old clients do not send it$/,
    'a request without the query q',
  ],
  [
    'a demanded header from now on',
    ({ parameters }) => parameters.push({ name: 'X-Key', in: 'header', required: true, schema: { type: 'string' } }),
    'breaking',
    /^header X-Key is demanded/,
  ],
  [
    'a demanded cookie from now on',
    ({ parameters }) => parameters.push({ name: 'session', in: 'cookie', required: true, schema: { type: 'string' } }),
    'breaking',
    /^cookie session is demanded/,
  ],
  [
    'a query parameter is demanded',
    (get) => (parameter(get, 'limit').required = true),
    'breaking',
    /^query limit is demanded, and could be left out$/,
  ],
  ['a query parameter no longer', ({ parameters }) => parameters.splice(1, 1), 'compatible', /^query limit is no longer read$/],
  ['a header in other capitals', (get) => (parameter(get, 'X-Trace').name = 'x-trace'), 'compatible', undefined],
  [
    'a limit that is lower',
    (get) => (parameter(get, 'limit').schema.maximum = 50),
    'breaking',
    /^query limit the server takes numbers up to 50, and numbers up to 100 may come$/,
    51,
  ],
  ['a limit that is higher', (get) => (parameter(get, 'limit').schema.maximum = 500), 'compatible', undefined],
  ['a number that is read as a text', (get) => (parameter(get, 'limit').schema = { type: 'string' }), 'compatible', undefined],
  [
    'a text that is read as a number',
    (get) => (parameter(get, 'X-Trace').schema = { type: 'integer' }),
    'breaking',
    /^header X-Trace the server takes integers, and texts may come$/,
  ],
  [
    'a number that is read as a text of a pattern',
    (get) => (parameter(get, 'limit').schema = { type: 'string', pattern: '^\\d$' }),
    'breaking',
    /^query limit the server takes texts/,
  ],
  [
    'a number that is read as one of two texts',
    (get) => (parameter(get, 'limit').schema = { anyOf: [{ type: 'integer' }, { type: 'string', minLength: 1 }] }),
    'unknown',
    /alternatives/,
  ],
  ['a list in another style', (get) => (parameter(get, 'tag').explode = false), 'unknown', /^query tag is written in another style/],
  ['a single text in another style', (get) => Object.assign(parameter(get, 'limit'), { explode: false }), 'compatible', undefined],
  [
    'a parameter of the path with another name',
    (_get, document) => {
      const item = JSON.parse(JSON.stringify(document.paths['/pets/{id}']).replaceAll('"id","in"', '"petId","in"'))
      document.paths = { '/pets/{petId}': item }
    },
    'compatible',
    undefined,
  ],
  [
    'a parameter of the path with fewer values',
    (get) => (parameter(get, 'id').schema.minimum = 1),
    'breaking',
    /^path id the server takes numbers from 1, and smaller ones may come$/,
  ],
  // Replies
  [
    'a member of the reply from now on',
    (_get, { components }) => (components.schemas.Pet = { ...pet, properties: { ...pet.properties, age: { type: 'integer' } } }),
    'compatible',
    undefined,
  ],
  [
    'a demanded member of the reply no longer',
    (_get, { components }) => (components.schemas.Pet = { ...pet, required: ['id'], properties: { id: pet.properties.id } }),
    'breaking',
    /^reply 200 a client demands the member 'name', and objects without it may come$/,
  ],
  [
    'a member of the reply of another type',
    (_get, { components }) => (components.schemas.Pet = { ...pet, properties: { ...pet.properties, id: { type: 'string' } } }),
    'breaking',
    /^reply 200 \/id a client takes integers, and texts may come$/,
  ],
  [
    'a status of success from now on',
    ({ responses }) => (responses[202] = { description: 'Later' }),
    'breaking',
    /^reply 202 is new, and old clients do not expect it$/,
    '202',
  ],
  [
    'a status of success no longer',
    ({ responses }) => (delete responses[200], (responses[200] = undefined)),
    'breaking',
    /^reply 200 is no longer sent, and old clients wait for it$/,
  ],
  [
    'a status of failure from now on',
    ({ responses }) => (responses[409] = { description: 'Taken' }),
    'compatible',
    /^reply 409 is new; a client treats it as any error of its class$/,
  ],
  ['a status of failure no longer', ({ responses }) => delete responses[404], 'compatible', /^reply 404 is no longer sent$/],
  ['a redirection from now on', ({ responses }) => (responses[307] = { description: 'Elsewhere' }), 'unknown', /^reply 307 is new/],
  ['an unchanged reply from now on', ({ responses }) => (responses[304] = { description: 'Not modified' }), 'compatible', /conditional/],
  [
    'a status by its range',
    ({ responses }) => {
      responses['4XX'] = responses[404]
      delete responses[404]
    },
    'compatible',
    /^reply 4XX is new/,
  ],
  [
    'another media type of the reply',
    ({ responses }) => (responses[200].content = { 'application/xml': { schema: {} } }),
    'breaking',
    /^reply 200 is no longer sent as application\/json$/,
  ],
  [
    'one more media type of the reply',
    ({ responses }) => (responses[200].content['text/csv'] = { schema: { type: 'string' } }),
    'compatible',
    /^reply 200 is also sent as text\/csv, to clients that ask for it$/,
  ],
  [
    'a reply without a described payload',
    ({ responses }) => delete responses[200].content,
    'unknown',
    /^reply 200 has no described payload any more$/,
  ],
  [
    'a header of the reply no longer',
    ({ responses }) => delete responses[200].headers,
    'compatible',
    /^reply 200 header X-Total is no longer described/,
  ],
  [
    'a header of the reply with another type',
    ({ responses }) => (responses[200].headers['X-Total'].schema = { type: 'string' }),
    'breaking',
    /^reply 200 header X-Total a client takes integers, and texts may come$/,
  ],
  // Security
  [
    'no security',
    (get) => (get.security = []),
    'compatible',
    /^security demands nothing instead of token, so that more requests are let in$/,
  ],
  [
    'another scheme',
    (get) => (get.security = [{ key: [] }]),
    'breaking',
    /^security demands key instead of token$/,
    'a request with token only',
  ],
  [
    'one more scheme at once',
    (get) => (get.security = [{ token: [], key: [] }]),
    'breaking',
    /^security demands token and key instead of token$/,
  ],
  ['one more scheme to choose', (get) => (get.security = [{ token: [] }, { key: [] }]), 'compatible', /^security demands token or key/],
  [
    'a scheme with another name',
    (get, { components }) => {
      components.securitySchemes.jwt = { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT' }
      get.security = [{ jwt: [] }]
    },
    'compatible',
    undefined,
  ],
  [
    'a scheme that demands something else',
    (_get, { components }) => (components.securitySchemes.token = { type: 'http', scheme: 'basic' }),
    'breaking',
    /^security demands/,
  ],
  // Others
  [
    'a deprecation',
    (get) => Object.assign(get, { deprecated: true, 'x-sunset': '2027-01-01' }),
    'compatible',
    /^route is deprecated, until 2027-01-01$/,
  ],
  ['callbacks', (get) => (get.callbacks = { onChange: {} }), 'unknown', /^callbacks changed/],
]

const changesOfPut: readonly Row[] = [
  [
    'a body is demanded',
    (put) => (put.requestBody.required = true),
    'breaking',
    /^body is demanded, and could be left out$/,
    'a request without a body',
  ],
  ['a body no longer', (put) => delete put.requestBody, 'unknown', /^body is no longer described/],
  [
    'a media type of the body no longer',
    (put) => delete put.requestBody.content['text/csv'],
    'breaking',
    /^body the server no longer takes text\/csv$/,
    'text/csv',
  ],
  [
    'a media type of the body by its range',
    ({ requestBody: { content } }) => {
      content['text/*'] = content['text/csv']
      delete content['text/csv']
    },
    'compatible',
    undefined,
  ],
  [
    'a demanded member of the body from now on',
    ({ requestBody: { content } }) => (content['application/json'].schema = { ...pet, required: ['id', 'name', 'age'] }),
    'breaking',
    /^body application\/json the server demands the member 'age', and objects without it may come$/,
  ],
  [
    'a member of the body with fewer values',
    ({ requestBody: { content } }) =>
      (content['application/json'].schema = { ...pet, properties: { ...pet.properties, name: { type: 'string', maxLength: 5 } } }),
    'breaking',
    /^body application\/json \/name the server takes texts of at most 5 characters, and longer ones may come$/,
  ],
  [
    'a schema that null is not part of any more, beside a body that may be left out',
    ({ requestBody: { content } }) => (content['application/json'].schema = pet),
    'compatible',
    undefined,
  ],
  [
    'an empty reply has a payload',
    ({ responses }) => (responses[204].content = { 'application/json': { schema: {} } }),
    'compatible',
    /^reply 204 has a payload, which was not described$/,
  ],
]

describe('a change of an operation', () => {
  for (const [method, rows] of [
    ['GET', changesOfGet],
    ['PUT', changesOfPut],
  ] as const)
    for (const [title, change, answer, reason, example] of rows)
      test(`is ${answer}: ${title}`, async () => {
        const [old, now] = [base(), base()]
        change(now.paths['/pets/{id}'][method.toLowerCase()], now)
        const route = (await compare(old, JSON.parse(JSON.stringify(now)))).find((each) => each.route.startsWith(`${method} `))!
        const texts = route.changes.map(({ part, path = '', reason: text }) => [part, path, text].filter((each) => each !== '').join(' '))
        assert.equal(route.answer, answer, texts.join('\n'))
        if (reason === undefined) return assert.deepEqual(route.changes, [])
        assert.ok(
          texts.some((text) => reason.test(text)),
          texts.join('\n'),
        )
        for (const each of route.changes) assert.equal('example' in each, each.answer === 'breaking', JSON.stringify(each))
        if (example !== undefined)
          assert.ok(
            route.changes.some((each) => each.example === example),
            JSON.stringify(route.changes),
          )
      })
})

describe('a route', () => {
  const removal = async (change: (get: any) => void): Promise<ComparedRoute> => {
    const [old, now] = [base(), base()]
    change(old.paths['/pets/{id}'].get)
    delete now.paths['/pets/{id}'].get
    return (await compare(old, now)).find(({ state }) => state === 'removed')!
  }

  for (const [title, change, answer, reason] of [
    ['was not deprecated', () => {}, 'breaking', 'is gone, and was not deprecated'],
    [
      'was deprecated without a date',
      (get) => (get.deprecated = true),
      'breaking',
      'is gone, and was deprecated without a date (x-sunset)',
    ],
    [
      'was deprecated with a date that is not over',
      (get) => Object.assign(get, { deprecated: true, 'x-sunset': '2026-12-01' }),
      'breaking',
      'is gone before its sunset, 2026-12-01',
    ],
    [
      'was deprecated with a date that is over',
      (get) => Object.assign(get, { deprecated: true, 'x-sunset': '2026-11-01' }),
      'compatible',
      'is gone after its sunset, 2026-11-01',
    ],
    ['had a date without being deprecated', (get) => (get['x-sunset'] = '2026-11-01'), 'breaking', 'is gone, and was not deprecated'],
    [
      'had a date that is none',
      (get) => Object.assign(get, { deprecated: true, 'x-sunset': 'soon' }),
      'breaking',
      'is gone, and was deprecated without a date (x-sunset)',
    ],
  ] as readonly (readonly [string, (get: any) => void, ComparedRoute['answer'], string])[])
    test(`that is gone is ${answer} if it ${title}`, async () => {
      const { answer: found, changes } = await removal(change)
      assert.deepEqual([found, changes.map((each) => each.reason)], [answer, [reason]])
    })

  test('that is new is compatible', async () => {
    const now = base()
    now.paths['/pets'] = { get: { responses: { 200: { description: 'All' } } } }
    const added = (await compare(base(), now)).filter(({ state }) => state === 'added')
    assert.deepEqual(added, [
      { route: 'GET /pets', state: 'added', answer: 'compatible', changes: [{ part: 'route', answer: 'compatible', reason: 'is new' }] },
    ])
  })
})

for (const [name, contract] of Object.entries({ shop, hard }))
  test(`a document is compatible with itself, with no change: ${name}`, async () => {
    const routes = await compare(contract, structuredClone(contract))
    assert.ok(routes.length > 3)
    assert.deepEqual(
      routes.flatMap(({ changes }) => changes),
      [],
    )
  })

/** A document of many routes, each with schemas of its own and one that all share. */
function large(change: (index: number, schema: any) => object): object {
  const entries = Array.from({ length: 1000 }, (_, index) => {
    const item = {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'integer' },
        name: { type: 'string', maxLength: 100 + (index % 50) },
        owner: { $ref: '#/components/schemas/Owner' },
      },
    }
    const content = { 'application/json': { schema: change(index, item) } }
    const responses = {
      200: { description: 'It', content },
      400: { description: 'No', content: { 'application/json': { schema: { $ref: '#/components/schemas/Owner' } } } },
    }
    return [`/items${index}/{id}`, { put: { requestBody: { required: true, content }, responses } }]
  })
  const owner = {
    type: 'object',
    properties: { name: { type: 'string' }, pets: { type: 'array', items: { $ref: '#/components/schemas/Owner' } } },
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Large', version: '1' },
    paths: Object.fromEntries(entries),
    components: { schemas: { Owner: owner } },
  }
}

test('of 1,000 routes, the 100 that break are found', async () => {
  const old = large((_, schema) => schema)
  const now = large((index, schema) => (index % 10 === 0 ? { ...schema, required: ['id', 'name'] } : { ...schema, title: `Item ${index}` }))
  const routes = await compare(old, now)
  assert.deepEqual([routes.length, routes.filter(({ answer }) => answer === 'breaking').length], [1000, 100])
})
