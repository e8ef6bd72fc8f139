/** Making a server: the channel of initialization, and warnings without a logger. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'

test('each server that is created is published on the channel alcove.initialization', async () => {
  const made: unknown[] = []
  const note = ({ server }: any): void => void made.push(server)
  subscribe('alcove.initialization', note)
  const server = createServer()
  unsubscribe('alcove.initialization', note)
  assert.deepEqual(made, [server])
  await server.close()
})

test('a warning about the deployment is emitted as a process warning if nothing is logged', async (t) => {
  const warned = t.mock.method(process, 'emitWarning', () => {})
  const server = createServer({ prebuilt: {} as never })
  assert.match(String(warned.mock.calls[0]?.arguments[0]), /^Ignoring the prebuilt schemas.*ajv none in the build/)
  assert.equal(warned.mock.calls[0]?.arguments[1], 'AlcoveWarning')
  await server.close()
})
