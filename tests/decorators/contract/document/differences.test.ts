/** `contractDifferences`: what an application says otherwise than its contract. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractDifferences, type OpenApiDocument } from '../../../../decorators/contract/index.js'
import { shop } from '../../../fixtures/contracts/shop.js'

const document = shop as unknown as OpenApiDocument

/** The contract with one part changed. */
function changed(change: (copy: any) => void): any {
  const copy = structuredClone(shop)
  change(copy)
  return copy
}

test('a contract differs in nothing from itself, in whatever version it is written', () => {
  assert.deepEqual(contractDifferences(shop, document), [])
  const newer = changed((copy) => {
    copy.openapi = '3.1.0'
    const { owner, weight } = copy.components.schemas.Animal.allOf[1].properties
    Object.assign(owner, { type: ['null', 'string'], nullable: undefined })
    Object.assign(weight, { minimum: undefined, exclusiveMinimum: 0 })
    copy.components.schemas.NewAnimal.properties.name = { type: 'string', minLength: 1, examples: ['Rex'] }
  })
  assert.deepEqual(contractDifferences(shop, newer), [])
})

function followed(copy: any, response: any): unknown {
  return response.$ref === undefined ? response : copy.components.responses.Failure
}

test('references are followed, and the order of what has none does not matter', () => {
  const inlined = changed((copy) => {
    copy.paths['/animals'].get.parameters[0] = copy.components.parameters.Limit
    for (const { responses } of Object.values<any>(copy.paths).flatMap((item) => Object.values<any>(item)))
      for (const status of Object.keys(responses ?? {})) responses[status] = followed(copy, responses[status])
    copy.components.schemas.Order.required.reverse()
    delete copy.components.responses
    delete copy.components.parameters
  })
  assert.deepEqual(contractDifferences(shop, inlined), [])
})

test('the names of parameters of a path do not matter, and neither do further statuses and texts', () => {
  const other = changed((copy) => {
    const text = JSON.stringify(copy.paths['/animals/{animalId}']).replaceAll('animalId', 'id')
    copy.paths['/animals/{id}'] = JSON.parse(text)
    delete copy.paths['/animals/{animalId}']
    copy.paths['/orders'].post.responses[413] = { description: 'Too large' }
    copy.paths['/orders'].post.summary = 'Orders'
  })
  assert.deepEqual(contractDifferences(shop, other), [])
})

for (const [title, change, expected] of [
  ['an operation', (copy) => delete copy.paths['/orders'], [/^- \/paths\/~1orders: /]],
  ['a further operation', (copy) => (copy.paths['/new'] = { get: { responses: {} } }), [/^\+ \/paths\/~1new: /]],
  [
    'a status',
    (copy) => delete copy.paths['/animals/{animalId}'].get.responses[404],
    [/^- \/paths\/~1animals~1\{animalId\}\/get\/responses\/404: /],
  ],
  [
    'whether a parameter is required',
    (copy) => (copy.components.parameters.Limit.required = true),
    ['- /paths/~1animals/get/parameters/query limit/required: false', '+ /paths/~1animals/get/parameters/query limit/required: true'],
  ],
  [
    'a limit of a schema',
    (copy) => (copy.components.schemas.NewAnimal.properties.name.minLength = 2),
    [/^- \/components\/schemas\/NewAnimal\/properties\/name\/minLength: 1/, /^\+ .*: 2/],
  ],
  [
    'whether a body is required',
    (copy) => (copy.paths['/animals'].post.requestBody.required = false),
    [/^- \/paths\/~1animals\/post\/requestBody\/required: true/, /^\+/],
  ],
  ['a guard', (copy) => delete copy.paths['/animals'].post.security, ['- /paths/~1animals/post/security/0: "key"']],
  [
    'a media type of a reply',
    (copy) => (copy.components.responses.Failure.content = { 'text/plain': {} }),
    Array.from({ length: 8 }, () => /responses/),
  ],
] as [string, (copy: any) => unknown, (string | RegExp)[]][])
  test(`${title} is a difference`, () => {
    const lines = contractDifferences(shop, changed(change))
    assert.equal(lines.length, expected.length, lines.join('\n'))
    for (const [index, line] of lines.entries())
      if (typeof expected[index] === 'string') assert.equal(line, expected[index])
      else assert.match(line, expected[index]!)
  })

test('a contract may refer to parts of itself, and be refused for what it refers to', () => {
  const deep = changed((copy) => {
    copy.paths['/orders'].post.requestBody.content['application/json'].schema = { $ref: '#/components/schemas/Order/properties/animal' }
  })
  assert.deepEqual(contractDifferences(deep, deep), [])
  assert.throws(() => contractDifferences({ openapi: '3.0.0', paths: { '/a': { $ref: 'b.json' } } }, document), /leads to another file/)
})

test('equal alternatives of security are equal, in whatever form', () => {
  const secured = (security: object[]) => changed((copy) => (copy.paths['/orders'].post.security = security))
  const either = secured([{ key: [], login: ['write'] }, { key: [] }])
  assert.deepEqual(contractDifferences(either, secured([{ key: [] }])), [])
  assert.deepEqual(contractDifferences(secured([{}]), document), [])
  assert.notDeepEqual(contractDifferences(secured([{}, { key: [] }]), document), [])
})
