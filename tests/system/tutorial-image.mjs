// docs/tutorial: the last step serves out of the image of its Dockerfile, and while it ends it answers until the load balancer knows.
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { copyTutorial } from './created-app.mjs'
import { buildImage, sender, start, stop, writableDatabase } from './image.mjs'

const started = performance.now()
const { app, folder, dispose } = copyTutorial()
try {
  const server = await start(buildImage(app, folder), writableDatabase(folder), { SHUTDOWN_DELAY: '500' })
  const send = sender(server.origin)
  const ada = { email: 'ada@example.com', password: 'a long password' }
  assert.equal((await send('POST', '/users', ada)).status, 201, server.output())
  const { token } = (await send('POST', '/users/login', ada)).body
  const kindred = { title: 'Kindred', author: 'Octavia E. Butler', year: 1979 }
  assert.equal((await send('POST', '/books', kindred)).status, 401)
  assert.equal((await send('POST', '/books', kindred, token)).status, 201, server.output())
  assert.equal((await send('GET', '/docs')).status, 200)

  const ended = stop(server)
  await wait(100)
  assert.equal((await send('GET', '/health/ready')).status, 503)
  assert.deepEqual((await send('GET', '/books')).body, [{ id: 1, ...kindred }])
  await ended
  console.log(`the tutorial serves out of its image and ends after it has answered (${Math.round((performance.now() - started) / 1000)} s)`)
} finally {
  dispose()
}
