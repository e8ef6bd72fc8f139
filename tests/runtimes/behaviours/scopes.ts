import assert from 'node:assert/strict'
import { answers, type Behaviour, happens } from '../client.js'
import { leave } from './hooks.js'

export const scopes: readonly Behaviour[] = [
  happens('a scope ends with its request', '/scoped/plain', ['unit completed 200', 'unit disposed']),
  happens('a scope ends with a request that is answered later', '/scoped/late', ['unit completed 200', 'unit disposed']),
  happens('a scope learns that its request has failed', '/scoped/failing', ['unit failed 409', 'unit disposed']),
  happens('a scope ends with its stream', '/scoped/stream', ['unit completed 200', 'unit disposed']),
  happens('a scope ends with its stream of items', '/scoped/items', ['unit completed 200', 'unit disposed']),
  {
    title: 'a scope learns that its client has left',
    async check(client) {
      const name = client.nameCase()
      await leave(client, '/scoped/hanging', name)
      assert.deepEqual((await client.eventsOf(name, 'unit disposed')).slice(-3), ['signal', 'unit aborted', 'unit disposed'])
    },
  },
  answers('a handle reads the request in which it is read', '/ambient/handle', { json: { name: 'Ada' } }, { headers: { 'x-case': 'Ada' } }),
  happens('an event has its handlers within the request and after it', '/ambient/event', ['handled', 'emitted', 'handled later']),
  happens('a logger of the application gets the lines of a request', '/ambient/log', ['said']),
  {
    title: 'requests at the same time have scopes of their own',
    async check(client) {
      const names = Array.from({ length: 20 }, () => client.nameCase())
      const texts = await Promise.all(
        names.map(async (name) => (await client.send('/scoped/late', { headers: { 'x-case': name } })).text()),
      )
      assert.deepEqual(new Set(texts), new Set(['late']))
      for (const name of names) assert.deepEqual(await client.eventsOf(name, 'unit disposed'), ['unit completed 200', 'unit disposed'])
    },
  },
]
