import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Behaviour } from '../client.js'

export const shutdown: readonly Behaviour[] = [
  {
    title: 'a server that closes answers the requests in flight',
    closes: true,
    async check(client) {
      const response = await client.send('/streams/pauses')
      const [text] = await Promise.all([response.text(), client.running.close()])
      assert.deepEqual([response.status, text], [200, 'first second'])
    },
  },
  {
    title: 'a server that closes tells handlers that would go on for ever',
    closes: true,
    async check(client) {
      const name = client.nameCase()
      const reply = client.send('/scoped/hanging', { headers: { 'x-case': name } }).then(
        (response) => response.status,
        () => 'cut',
      )
      // A function of AWS Lambda serves one request at a time, and tells only when the handler has ended.
      await Promise.race([client.eventsOf(name, 'began').catch(() => {}), wait(1_000)])
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
