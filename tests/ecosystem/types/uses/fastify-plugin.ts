import type { FastifyInstance, FastifyPluginAsync, FastifyPluginCallback } from 'fastify'
import fp from 'fastify-plugin'
import { createServer } from 'under-test'

interface Options {
  size: number
}

const server = createServer()
const inferred = fp(async (instance: FastifyInstance, options: Options) => void instance.decorate('size', options.size))
const named = fp<Options>(async (instance, { size }) => void instance.decorate('size', size), { name: 'size', fastify: '5.x' })
const callback: FastifyPluginCallback<Options> = (instance, options, done) => {
  instance.decorate('size', options.size)
  done()
}
const bare: FastifyPluginAsync = async (instance) => void instance.get('/', (request, reply) => reply.send(request.id))
server.register(inferred, { size: 1 })
server.register(named, { size: 1, prefix: '/x' })
server.register(fp(callback), { size: 1 })
server.register(callback, { size: 1, logLevel: 'warn' })
server.register(bare)
server.register(bare, { prefix: '/bare' })
server.register(Promise.resolve({ default: callback }), { size: 1 })
// @ts-expect-error the size is missing
server.register(inferred)
// @ts-expect-error the size is a number
server.register(callback, { size: 'large' })
