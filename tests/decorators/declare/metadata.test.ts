import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { appendMetadata, getMemberMetadata, getMetadata, readDecoratorTarget, setMetadata } from '../../../decorators/declare/metadata.js'

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

const kOne = Symbol('one')
const kList = Symbol('list')

test('metadata of a class is not that of its subclass, nor that of its methods', () => {
  class Base {
    method() {}
  }
  class Derived extends Base {}
  setMetadata(readDecoratorTarget([Base]), kOne, 'base')
  setMetadata(readDecoratorTarget([Base.prototype, 'method']), kOne, 'method')
  assert.equal(getMetadata(Base, kOne), 'base')
  assert.equal(getMetadata(Base, kOne, 'method'), 'method')
  assert.equal(getMetadata(Derived, kOne), undefined)
})

test('a list is kept in the order in which decorators are written, though they run bottom-up', () => {
  class Noted {}
  for (const entry of ['third', 'second', 'first']) appendMetadata(readDecoratorTarget([Noted]), kList, entry)
  assert.deepEqual(getMetadata(Noted, kList), ['first', 'second', 'third'])
})

test('members are read with those of parent classes first, and an overridden one counts once, with the value of the subclass', () => {
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
    setMetadata(readDecoratorTarget([prototype, member]), kOne, value)
  assert.deepEqual(getMemberMetadata(Derived, kOne), [
    { member: 'one', value: 1 },
    { member: 'three', value: 3 },
    { member: 'two', value: 22 },
  ])
})
