import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeOnSignals, createServer } from 'alcove/lib'
import { type Child, startProgram } from '../../fixtures/children.js'

async function start(...args: string[]): Promise<Child> {
  const child = startProgram('tests/fixtures/signals-app.js', args)
  await child.printed(/listening/)
  return child
}

test('a signal closes the server and ends the process with 0', async () => {
  const child = await start('')
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 0)
})

test('a second signal ends the process at once, with 1', async () => {
  const child = await start('stuck')
  child.process.kill('SIGINT')
  await child.printed(/closing/)
  child.process.kill('SIGINT')
  assert.equal(await child.exited, 1)
})

test('closing that takes longer than the timeout ends with 1, though nothing else keeps the process', async () => {
  const child = await start('stuck', '50')
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 1)
})

test('closing that fails ends with 1', async () => {
  const child = await start('fails')
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 1)
})

test('without the listeners a signal ends the process as ever', async () => {
  const child = await start('off')
  child.process.kill('SIGTERM')
  assert.equal(await child.exited, 'SIGTERM')
})

test('what runs before the closing sees requests answered, and does not keep the server from it', async () => {
  const child = await start('asks')
  child.process.kill('SIGTERM')
  await child.printed(/SIGTERM answered[^]*closing/)
  assert.equal(await child.exited, 0)
})

test('the listeners are taken off again, each from its signal', () => {
  const counts = (): number[] => (['SIGUSR2', 'SIGHUP'] as const).map((signal) => process.listenerCount(signal))
  const before = counts()
  const off = closeOnSignals(createServer(), { signals: ['SIGUSR2', 'SIGHUP'] })
  assert.deepEqual(
    counts(),
    before.map((count) => count + 1),
  )
  off()
  assert.deepEqual(counts(), before)
})
