import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  addMetadata,
  getDecoratedMembers,
  getMetadata,
  getMetadataByClass,
  getOwnMetadata,
  metadataKey,
} from '../../../decorators/declare/metadata.js'

const run = promisify(execFile)
const project = new URL('../../../../', import.meta.url)
const pathOf = (file: string): string => fileURLToPath(new URL(file, project))

test('an application compiled with standard decorators runs as one compiled with TypeScript’s own', async () => {
  await run(process.execPath, [pathOf('node_modules/typescript/bin/tsc'), '-p', pathOf('tests/fixtures/standard')])
  const { stdout } = await run(process.execPath, [pathOf('dist/standard/app.js')])
  assert.deepEqual(JSON.parse(stdout), [
    [200, { answer: 42 }],
    [200, { path: '/greetings', role: 'reader' }],
    [201, { text: 'Hello, Ada' }],
    [400, { statusCode: 400, error: 'Bad Request', message: "body should have required property 'name'" }],
    ['Basics'],
  ])
})

const kOne = metadataKey<unknown>({ decorator: '@One', standsOn: [], place: 'nowhere' })

test('metadata of a class is not that of its methods, and its own is not that of its subclass', () => {
  class Base {
    method() {}
  }
  class Derived extends Base {}
  addMetadata([Base], kOne, 'base')
  addMetadata([Base.prototype, 'method'], kOne, 'method')
  assert.equal(getOwnMetadata(Base, kOne), 'base')
  assert.equal(getOwnMetadata(Base, kOne, 'method'), 'method')
  assert.equal(getOwnMetadata(Derived, kOne), undefined)
  assert.equal(getMetadata(Derived, kOne), 'base')
})

test('values are kept in the order in which decorators are written, though they run bottom-up, those of parent classes first', () => {
  class Base {}
  class Derived extends Base {}
  for (const entry of ['third', 'second', 'first']) addMetadata([Base], kOne, entry)
  addMetadata([Derived], kOne, 'own')
  assert.deepEqual(getMetadataByClass(Derived, kOne), [['first', 'second', 'third'], ['own']])
  assert.equal(getMetadata(Base, kOne), 'first')
})

test('members are read with those of parent classes first, and an overridden one once, with the value of the subclass', () => {
  class Base {
    one() {}
    two() {}
  }
  class Derived extends Base {
    override two() {}
    three() {}
  }
  for (const [prototype, member, value] of [
    [Base.prototype, 'one', 1],
    [Base.prototype, 'two', 2],
    [Derived.prototype, 'three', 3],
    [Derived.prototype, 'two', 22],
  ] as const)
    addMetadata([prototype, member], kOne, value)
  assert.deepEqual(
    getDecoratedMembers(Derived, kOne).map((member) => [member, getMetadata(Derived, kOne, member)]),
    [
      ['one', 1],
      ['three', 3],
      ['two', 22],
    ],
  )
})
