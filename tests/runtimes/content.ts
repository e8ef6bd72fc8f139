/** The routes of the suite whose replies depend on what a client has or takes: parts of a file, conditional requests, compression. */
import { Readable } from 'node:stream'
import { compression, sendRanges, type Server } from 'alcove'

export const text = 'The same line again and again. '.repeat(200)

export async function declareContent(server: Server): Promise<void> {
  server.get('/file', (_request, reply) =>
    sendRanges(reply, {
      size: 10,
      etag: '"v1"',
      type: 'text/plain',
      read: ({ start, end }) => Readable.from([Buffer.from('0123456789').subarray(start, end + 1)], { objectMode: false }),
    }),
  )
  server.register(async (child) => {
    child.addHook('onSend', compression({ threshold: 100, codings: ['gzip'] }))
    child.get('/whole', () => text)
    child.get('/small', () => 'small')
    child.get('/stream', (_request, reply) => reply.type('text/plain').send(Readable.from([text.slice(0, 3_000), text.slice(3_000)])))
  })
}
