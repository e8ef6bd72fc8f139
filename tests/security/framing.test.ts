/** Headers of a reply that say where it ends, also if the application has set them on the raw response. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe } from 'node:test'
import { type Answer, exchange, get, wireTest } from './wire.js'

describe('a reply states its end once', () => {
  wireTest(
    'if Transfer-Encoding was set on the raw response',
    (server) => {
      const payloads: Record<string, () => unknown> = {
        text: () => 'hello',
        bytes: () => Buffer.from('hello'),
        json: () => ({ a: 1 }),
        stream: () => Readable.from(['hel', 'lo']),
      }
      server.get('/:kind', (request: any, reply) => {
        reply.raw.setHeader('Transfer-Encoding', 'chunked')
        if (request.query.length) reply.header('content-length', 5)
        return payloads[request.params.kind]!()
      })
      server.get('/error', (_request, reply) => {
        reply.raw.setHeader('Transfer-Encoding', 'chunked')
        throw new Error('failed')
      })
      server.get('/empty', (_request, reply) => {
        reply.raw.setHeader('Transfer-Encoding', 'chunked')
        void reply.code(204).send()
      })
    },
    async ({ port }) => {
      for (const path of ['/text', '/bytes', '/json', '/stream', '/text?length=1', '/stream?length=1', '/error', '/empty']) {
        for (const method of ['GET', 'HEAD']) {
          const [answer] = await exchange(port, get(path).replace('GET', method))
          const { 'transfer-encoding': coding, 'content-length': length } = answer!.headers
          assert.ok(coding === undefined || length === undefined, `${method} ${path}: ${coding}, ${length}`)
          if (method === 'GET' && /text|bytes|stream/.test(path)) assert.equal(answer!.body, 'hello', path)
        }
        const [old] = await exchange(port, get(path).replace('HTTP/1.1', 'HTTP/1.0'))
        assert.equal(old!.headers['transfer-encoding'], undefined, `HTTP/1.0 ${path}`)
      }
    },
  )

  wireTest(
    'if the handler names a coding that does not end with chunked',
    (server) => server.get('/', (_request, reply) => reply.header('transfer-encoding', 'chunked, own').send('hello')),
    async ({ port }) => {
      const [{ headers, body }] = (await exchange(port, get('/'))) as [Answer]
      assert.deepEqual([headers['transfer-encoding'], headers['content-length'], body], [undefined, '5', 'hello'])
    },
  )

  wireTest(
    'also to a HEAD request that a route of its own answers with 205',
    (server) => server.head('/', (_request, reply) => reply.code(205).header('content-length', 5).send('hello')),
    async ({ port }) => {
      const [{ status, headers }] = (await exchange(port, get('/').replace('GET', 'HEAD'))) as [Answer]
      assert.deepEqual([status, headers['content-length']], [205, undefined])
    },
  )

  wireTest(
    'if a wrong Content-Length was set on the raw response',
    (server) => {
      server.get('/text', (_request, reply) => {
        reply.raw.setHeader('Content-Length', 50)
        return 'hello'
      })
      server.get('/stream', (_request, reply) => {
        reply.raw.setHeader('Content-Length', 3)
        return Readable.from(['hello'])
      })
    },
    async ({ port }) => {
      const [text] = await exchange(port, get('/text'))
      assert.deepEqual([text!.headers['content-length'], text!.body], ['5', 'hello'])
      assert.equal((await exchange(port, get('/stream')))[0]!.status, 500)
    },
  )
})
