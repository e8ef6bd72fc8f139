import throttle from '@fastify/throttle'
import { createServer } from 'under-test'

const server = createServer()
server.register(throttle, { bytesPerSecond: 1000 })
server.get('/', { config: { throttle: { bytesPerSecond: 1000 } } }, () => 'x')
