import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { bootstrap } from 'alcove'
import { WebSocket } from 'ws'
import { App } from './app.js'

test('who is in the room hears what is said there', async () => {
  const server = await bootstrap(App)
  try {
    const address = await server.listen({ port: 0, host: '127.0.0.1' })
    const enter = async (name: string) => {
      const socket = new WebSocket(`${address.replace('http', 'ws')}/room/${name}`)
      const heard: string[] = []
      socket.on('message', (text) => heard.push((text as Buffer).toString()))
      await once(socket, 'message')
      return { socket, heard }
    }
    const ada = await enter('ada')
    const bob = await enter('bob')
    bob.socket.send('hello')
    while (ada.heard.length < 3) await once(ada.socket, 'message')
    assert.deepEqual(ada.heard, ['ada is here', 'bob is here', 'bob: hello'])
    ada.socket.close()
    await once(ada.socket, 'close')
    bob.socket.terminate()
  } finally {
    await server.close()
  }
})
