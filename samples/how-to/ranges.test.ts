import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { openapi } from 'alcove/contract'
import { App, RecordingsController } from './ranges.js'

test('a recording is sent in whole and in parts, each as the contract describes it', async () => {
  await using app = await testServer(App)
  const ask = (headers: Record<string, string>) => app.call(RecordingsController, 'show', { params: { id: 1 }, headers })
  const whole = await ask({})
  assert.equal(whole.status, 200)
  const part = await ask({ range: 'bytes=2-4', 'if-range': '"7f3a"' })
  assert.equal(part.status, 206)
  assert.equal(part.headers['content-range'], 'bytes 2-4/10')
  assert.equal((await ask({ range: 'bytes=10-' })).status, 416)
  assert.equal((await ask({ 'if-none-match': '"7f3a"' })).status, 304)
  assert.equal((await app.inject('/recordings/2')).statusCode, 404)
})

test('the document lists the statuses, and the bytes of 200 and 206', async () => {
  const document = openapi(App, { info: { title: 'Recordings', version: '1.0.0' } }) as any
  const { responses } = document.paths['/recordings/{id}'].get
  assert.deepEqual(Object.keys(responses), ['200', '206', '304', '400', '404', '412', '416', '503'])
  for (const status of [200, 206]) assert.deepEqual(Object.keys(responses[status].content), ['audio/mpeg'])
  assert.equal(responses[416].content, undefined)
})
