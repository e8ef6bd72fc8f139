import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { answers, type Behaviour } from '../client.js'
import { text } from '../content.js'

const asking = (headers: Readonly<Record<string, string>>) => ({ headers })
const part = (range: string) => asking({ range })

/** A reply in a coding, which only a client over a connection has decoded already. */
function compressed(title: string, target: string): Behaviour {
  return {
    title,
    async check(client) {
      const response = await client.send(target, asking({ 'accept-encoding': 'gzip' }))
      assert.equal(response.headers.get('content-encoding'), 'gzip')
      assert.equal(response.headers.get('vary'), 'Accept-Encoding')
      const bytes = Buffer.from(await response.arrayBuffer())
      assert.equal((new URL(client.running.origin).port === '' ? gunzipSync(bytes) : bytes).toString(), text)
    },
  }
}

export const content: readonly Behaviour[] = [
  answers('a file says that it has parts', '/content/file', {
    body: '0123456789',
    headers: { 'accept-ranges': 'bytes', 'content-length': '10', etag: '"v1"' },
  }),
  answers('a part of a file is sent', '/content/file', { status: 206, body: '234', headers: { 'content-range': 'bytes 2-4/10' } }, part('bytes=2-4')), // prettier-ignore
  answers('the end of a file is sent', '/content/file', { status: 206, body: '789', headers: { 'content-range': 'bytes 7-9/10' } }, part('bytes=-3')), // prettier-ignore
  answers('a part that a file does not have is refused', '/content/file', { status: 416, headers: { 'content-range': 'bytes */10' } }, part('bytes=20-')), // prettier-ignore
  answers('a part of another version of a file is not sent', '/content/file', { body: '0123456789' }, asking({ range: 'bytes=2-4', 'if-range': '"v0"' })), // prettier-ignore
  answers('a file that the client has is not sent', '/content/file', { status: 304, body: '' }, asking({ 'if-none-match': '"v1"' })),
  compressed('a reply is compressed for a client that asks for it', '/content/whole'),
  compressed('a stream is compressed for a client that asks for it', '/content/stream'),
  answers('a reply is not compressed for a client that does not take it', '/content/whole', { body: text, headers: { 'content-encoding': null, vary: 'Accept-Encoding' } }, asking({ 'accept-encoding': 'identity' })), // prettier-ignore
  answers('a small reply is not compressed', '/content/small', { body: 'small', headers: { 'content-encoding': null } }, asking({ 'accept-encoding': 'gzip' })), // prettier-ignore
]
