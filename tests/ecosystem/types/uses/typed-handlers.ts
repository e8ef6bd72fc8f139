import type {
  FastifyError,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerAsyncHookHandler,
  RouteHandlerMethod,
  RouteOptions,
} from 'fastify'
import { createServer } from 'under-test'

const server = createServer()
const handler: RouteHandlerMethod = (request, reply) => reply.code(200).send(request.url)
const own = async (request: FastifyRequest, reply: FastifyReply) => reply.header('x-id', request.id).send({ id: request.id })
const onRequest: onRequestHookHandler = (request, reply, done) => (request.url === '' ? reply.code(400).send() : done())
const preHandler: preHandlerAsyncHookHandler = async (request) => request.log.info('x')
const route: RouteOptions = { method: ['GET', 'POST'], url: '/route', onRequest, preHandler: [preHandler], handler }
server.route(route)
server.get('/handler', handler)
server.get('/own', own)
server.get('/options', { onRequest, preHandler }, own)
server.get('/list', { onRequest: [onRequest], preHandler: [preHandler], handler })
server.get('/inline', { preHandler }, (request, reply) => reply.send(request.id))
server.setNotFoundHandler(own)
server.setNotFoundHandler({ preHandler }, handler)
server.setErrorHandler((error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
  reply.code(error.statusCode ?? 500).send(request.id),
)
server.setErrorHandler<FastifyError>((error, _request, reply) => reply.code(error.statusCode ?? 500).send(error.code))
server.addHook('onRequest', onRequest)
server.addHook('preHandler', preHandler)
server.addHook('onSend', async (_request, _reply, payload) => payload)
server.addHook('onRoute', (options) => void options.url)
