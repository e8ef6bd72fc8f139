/** The sample as it is, without mails and without what is for operators: metrics, traces, documentation, CORS, security headers. */
import { randomUUID } from 'node:crypto'
import { bootstrap, Hook, JobDriver, Plugin } from '../../../dist/esm/index.js'
import { Api } from '../../../samples/conduit/dist/src/api.js'
import { configProviders } from '../../../samples/conduit/dist/src/config.js'
import { databaseProvider } from '../../../samples/conduit/dist/src/database/database.js'
import { answerError, answerNotFound } from '../../../samples/conduit/dist/src/errors.js'
import { sharedCountersProvider } from '../../../samples/conduit/dist/src/operations/protection.js'

/** Drops the jobs: the applications on other frameworks have no queue. */
class NoJobs extends JobDriver {
  async add() {}
  async take() {
    return { stop() {} }
  }
  async isBusy() {
    return false
  }
}

class App {
  nameRequest(request, reply) {
    reply.header('x-request-id', request.id)
  }
}
Hook('onRequest')(App.prototype, 'nameRequest', Object.getOwnPropertyDescriptor(App.prototype, 'nameRequest'))
Plugin({
  providers: [...configProviders, databaseProvider, sharedCountersProvider, { provide: JobDriver, useClass: NoJobs }],
  errorHandler: answerError,
  notFoundHandler: answerNotFound,
  imports: [Api],
})(App)

export async function start() {
  const options = { requestIdHeader: 'x-request-id', genReqId: () => randomUUID(), maxParamLength: 1000 }
  const server = await bootstrap(App, options)
  await server.listen({ port: 0, host: '127.0.0.1' })
  return server.server
}
