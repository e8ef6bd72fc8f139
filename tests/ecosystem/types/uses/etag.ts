import etag from '@fastify/etag'
import { createServer } from 'under-test'

const server = createServer()
server.register(etag, { algorithm: 'sha1', weak: true })
// @ts-expect-error not a boolean
server.register(etag, { weak: 'yes' })
