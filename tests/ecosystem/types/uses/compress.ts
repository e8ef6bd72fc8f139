import compress from '@fastify/compress'
import { createServer } from 'under-test'

const server = createServer()
server.register(compress, { threshold: 10, encodings: ['gzip'] })
server.get('/', { compress: { threshold: 1 }, decompress: false }, (_request, reply) => reply.compress(Buffer.from('x')))
// @ts-expect-error no such encoding
server.register(compress, { encodings: ['zip'] })
