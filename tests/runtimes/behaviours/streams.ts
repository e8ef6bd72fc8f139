import assert from 'node:assert/strict'
import { answers, type Behaviour, type Client } from '../client.js'

async function brokenBody(client: Client, target: string): Promise<void> {
  // If the first bytes and the failure come together, a client may not even see the head, or may see that the server has failed.
  const response = await client.send(target).catch(() => undefined)
  if (response === undefined || response.status === 500) return
  assert.equal(response.status, 200)
  await assert.rejects(response.text())
}

export const streams: readonly Behaviour[] = [
  answers('a stream of Node is sent', '/streams/node', { body: 'abc' }),
  answers('a stream has no length', '/streams/node', { headers: { 'content-length': null } }),
  answers('a Response with a stream is sent', '/streams/web', { body: 'xyz' }),
  answers('a web stream is sent', '/streams/web/plain', { body: '12' }),
  {
    title: 'a stream of a megabyte arrives as a whole',
    async check(client) {
      const got = Buffer.from(await (await client.send('/streams/large')).arrayBuffer())
      assert.equal(got.length, 64 * 16_384)
      for (let index = 0; index < 64; index++) assert.equal(got[index * 16_384], index)
    },
  },
  {
    title: 'a whole reply of a megabyte arrives as a whole',
    check: async (client) => assert.equal(await (await client.send('/streams/whole')).text(), 'w'.repeat(1_000_000)),
  },
  answers('a stream may pause', '/streams/pauses', { body: 'first second' }),
  {
    title: 'the first part of a stream arrives before the last one is made',
    async check(client) {
      const reader = (await client.send('/streams/pauses')).body!.getReader()
      const { value } = await reader.read()
      assert.equal(new TextDecoder().decode(value), 'first ')
      await reader.cancel()
    },
  },
  answers('a stream that fails at once is answered with its error', '/streams/fails-at-once', {
    status: 409,
    has: { message: 'no source' },
  }),
  { title: 'a stream that breaks breaks the body', check: (client) => brokenBody(client, '/streams/breaks') },
  { title: 'a stream that is shorter than its stated length breaks the body', check: (client) => brokenBody(client, '/streams/short') },
  answers('a stream of known length states it', '/streams/known', { body: '12345', headers: { 'content-length': '5' } }),
  {
    title: 'a client that leaves ends the source of an endless stream',
    async check(client) {
      const name = client.nameCase()
      const controller = new AbortController()
      const response = await client.send('/streams/endless', { signal: controller.signal, headers: { 'x-case': name } })
      const reader = response.body!.getReader()
      await reader.read()
      controller.abort()
      await client.eventsOf(name, 'source closed')
    },
  },
  {
    title: 'a client that cancels the body ends the source of an endless stream',
    async check(client) {
      const name = client.nameCase()
      const response = await client.send('/streams/endless', { headers: { 'x-case': name } })
      const reader = response.body!.getReader()
      await reader.read()
      await reader.cancel()
      await client.eventsOf(name, 'source closed')
    },
  },
  answers('a reply with trailers has its body', '/streams/trailers', { body: 'body' }),
  answers('items are sent as lines of JSON', '/scoped/items', { body: '{"n":1}\n{"n":2}\n{"n":3}\n', headers: { 'content-type': /^application\/x-ndjson/ } }, { headers: { accept: 'application/x-ndjson' } }), // prettier-ignore
  answers('items are sent as events', '/scoped/items', { body: 'data: {"n":1}\n\ndata: {"n":2}\n\ndata: {"n":3}\n\n', headers: { 'content-type': /^text\/event-stream/ } }, { headers: { accept: 'text/event-stream' } }), // prettier-ignore
]
