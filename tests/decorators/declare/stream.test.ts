import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Controller, Get, Plugin, Schema, stream, testServer } from 'alcove'

@Schema({ $id: 'Tick', type: 'object', required: ['n'], properties: { n: { type: 'integer' } } })
class Tick {
  n!: number
}

const ticks = { response: { 200: stream(Tick) } } as const

@Controller('/ticks')
class TicksController {
  @Get('', ticks)
  async *all() {
    yield { n: 1, secret: true }
    yield { n: 2 }
  }
}

@Plugin({ schemas: [Tick], routes: [TicksController] })
class App {}

test('a class with a shared schema is the schema of the items', async () => {
  await using app = await testServer(App)
  const { body, headers } = await app.inject('/ticks')
  assert.deepEqual([headers['content-type'], body], ['application/jsonl', '{"n":1}\n{"n":2}\n'])
})

test('a class without one is refused where the stream is declared', () => {
  class Plain {}
  assert.throws(() => stream(Plain), /^TypeError: ref\(Plain\): the class has no schema with an \$id/)
})
