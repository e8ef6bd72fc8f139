/** Listening on a name that stands for several addresses. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { lookup } from 'node:dns/promises'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createServer } from 'alcove/lib'
import { recorder } from './wire.js'

test('an address of localhost at which another server listens is told in the log', async (t) => {
  const addresses = await lookup('localhost', { all: true })
  const [first, second] = addresses.map(({ address }) => address)
  if (first === undefined || second === undefined) return t.skip('localhost has one address here')
  const blocker = createTcpServer().listen(0, second)
  await once(blocker, 'listening')
  const { port } = blocker.address() as AddressInfo
  const { lines, logger } = recorder()
  const server = createServer({ logger })
  await server.listen({ port })
  await server.close()
  blocker.close()
  const told = lines.filter(({ level, message }) => level === 'warn' && /cannot listen/.test(String(message)))
  assert.equal(told.length, 1)
  assert.match(told[0].message, /localhost is also .*EADDRINUSE/)
})
