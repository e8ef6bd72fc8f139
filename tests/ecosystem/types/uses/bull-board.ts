import { createBullBoard } from '@bull-board/api'
import { FastifyAdapter } from '@bull-board/fastify'
import { createServer } from 'under-test'

const adapter = new FastifyAdapter()
createBullBoard({ queues: [], serverAdapter: adapter })
adapter.setBasePath('/queues')
createServer().register(adapter.registerPlugin(), { prefix: '/queues' })
