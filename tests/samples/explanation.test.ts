/** The outputs that pages of docs/explanation show. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { bootstrap, check, explain, testServer } from 'alcove'
import { App as ContextsApp } from '../../samples/contexts/app.js'
import { App as LifetimesApp, events } from '../../samples/explanation/lifetimes.js'
import { App as FaultyApp } from '../../samples/explanation/wiring.js'
import { project } from '../fixtures/project.js'

const read = (name: string): string => readFileSync(`${project}samples/explanation/${name}`, 'utf8')

test('the faults of the wiring are reported together, with the texts of the page', () => {
  assert.throws(
    () => check(FaultyApp),
    ({ message }: Error) => message === read('wiring.txt').trimEnd(),
  )
})

test('instances are made and ended in the order that the page shows', { timeout: 10_000 }, async () => {
  const lines: string[] = []
  const note = (stage: string): void =>
    void lines.push(...events.splice(0).map((event, index) => `${(index === 0 ? stage : '').padEnd(10)}${event}`))
  const server = await bootstrap(LifetimesApp, { closeIdleDelay: 0 })
  note('boot')
  const origin = await server.listen({ port: 0, host: '127.0.0.1' })
  assert.equal((await fetch(`${origin}/orders`)).status, 200)
  // The instances of a request are ended after its reply.
  while (events.at(-1) !== 'end of Transaction') await wait(5)
  note('request')
  await server.close()
  note('close')
  assert.equal(`${lines.join('\n')}\n`, read('lifetimes.txt'))
})

test('the contexts of the sample are those that the page shows, and a route sees its ancestors only', async () => {
  await using app = await testServer(ContextsApp)
  assert.equal(`${String(explain(app.server))}\n`, read('contexts.txt'))
  assert.deepEqual((await app.inject('/three')).json(), { answer: 42, foo: 'foo', bar: 'bar' })
  assert.deepEqual((await app.inject('/two')).json(), { answer: 42, foo: 'foo' })
  assert.equal((await app.inject('/one')).statusCode, 401)
})
