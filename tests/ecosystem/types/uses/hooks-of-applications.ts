import type { FastifyInstance, onCloseAsyncHookHandler } from 'fastify'
import { createServer } from 'under-test'

const server = createServer()
server.addHook('onReady', async () => {})
server.addHook('onListen', async function () {
  this.log.info(this.prefix)
})
const onClose: onCloseAsyncHookHandler = async (instance: FastifyInstance) => instance.log.info('closed')
server.addHook('onClose', onClose)
server.addHook('onRegister', (instance, options) => instance.log.info(options))
server.addHook('preClose', (done) => done())
