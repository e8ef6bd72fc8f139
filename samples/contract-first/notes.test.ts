/** What `alcove new --from openapi.json` writes, and a handler that was written in it. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { planApplication } from '../../decorators/commands/contract-first/plan.js'
import { writeFiles } from '../../decorators/commands/contract-first/files.js'
import { readContract } from '../../decorators/contract/document/read.js'
import { project } from '../../tests/fixtures/project.js'
import { compare } from './compare.js'
import { App, options } from './src/app.js'
import { App as WrittenApp, NotesController } from './written.js'

const file = join(project, 'samples/contract-first/openapi.json')
const contract: unknown = JSON.parse(readFileSync(file, 'utf8'))

test('the files are those that the command writes', async () => {
  const files = writeFiles(await planApplication(readContract(contract)))
  const folder = join(project, 'samples/contract-first/src')
  const present = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  assert.deepEqual([...present, 'contract.test.ts', 'main.ts'].toSorted(), Object.keys(files).toSorted())
  for (const name of present) assert.equal(readFileSync(join(folder, name), 'utf8'), files[name], name)
})

test('the application keeps its contract', async () => {
  assert.deepEqual(compare(file), [])
  await using app = await testServer(App, { server: options, replies: 'ignore' })
  assert.equal((await app.inject('/notes/1')).statusCode, 501)
})

test('a handler that was written answers', async () => {
  await using app = await testServer(WrittenApp)
  const call = (noteId: number) => app.call(NotesController, 'findNote', { params: { noteId } })
  assert.deepEqual(await call(1).expect(200), { id: 1, text: 'Buy milk' })
  assert.equal((await call(2)).status, 404)
})
