import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Behaviour } from '../client.js'

export const shutdown: readonly Behaviour[] = [
  {
    title: 'a server that closes answers the requests in flight',
    closes: true,
    async check(client) {
      const reply = client.send('/streams/pauses').then(async (response) => [response.status, await response.text()])
      await wait(10)
      const [got] = await Promise.all([reply, client.running.close()])
      assert.deepEqual(got, [200, 'first second'])
    },
  },
  {
    title: 'a server that closes tells handlers that would go on for ever',
    closes: true,
    async check(client) {
      const reply = client.send('/scoped/hanging').then(
        (response) => response.status,
        () => 'cut',
      )
      await wait(30)
      const start = performance.now()
      await client.running.close()
      assert.ok(performance.now() - start < 5_000)
      assert.ok([200, 'cut'].includes(await reply))
    },
  },
  {
    title: 'a server that has closed serves no further request',
    closes: true,
    async check(client) {
      await (await client.send('/json')).text()
      await client.running.close()
      const status = await client.send('/json').then(
        (response) => response.status,
        () => 'refused',
      )
      assert.ok([503, 'refused'].includes(status), String(status))
    },
  },
]
