import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { answers, type Behaviour, happens } from '../client.js'

const before = ['onRequest', 'preParsing', 'preValidation', 'preHandler']

export const hooks: readonly Behaviour[] = [
  happens('hooks run in their order', '/hooks/get', [...before, 'handler', 'preSerialization', 'onSend', 'onResponse 200']),
  answers('hooks change the payload and the headers', '/hooks/get', { json: { ok: true, hooked: true }, headers: { 'x-on-send': 'yes' } }),
  happens('hooks of an error run', '/hooks/fails', [...before, 'onError', 'onSend', 'onResponse 400']),
  answers('a hook may refuse a request', '/hooks/guarded', { status: 401, json: { refused: true, hooked: true } }),
  happens('after a hook has replied, no further stage runs', '/hooks/guarded', [
    'onRequest',
    'preSerialization',
    'onSend',
    'onResponse 401',
  ]),
  answers('a hook may call back later', '/hooks/callback', { json: { after: 'callback', hooked: true } }),
  answers('a hook may replace the stream of the body', 'POST /hooks/decoded', { json: { body: { decoded: true }, hooked: true } }, { json: { sent: 1 } }), // prettier-ignore
  {
    title: 'a client that leaves aborts the signal, and onRequestAbort runs',
    async check(client) {
      const name = client.nameCase()
      await leave(client, '/hooks/hangs', name)
      const events = await client.eventsOf(name, 'onRequestAbort')
      assert.ok(!events.some((event) => event.startsWith('onResponse')))
      await client.eventsOf(name, 'signal')
    },
  },
]

/** Sends a request, and leaves once its handler has begun. */
export async function leave(client: Parameters<Behaviour['check']>[0], target: string, name: string): Promise<void> {
  const controller = new AbortController()
  const reply = client.send(target, { signal: controller.signal, headers: { 'x-case': name } }).catch(() => {})
  await client.eventsOf(name, 'began')
  await wait(5)
  controller.abort()
  await reply
}
