import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { Plugin, type Reply, type Request, use } from 'alcove'
import { ApiPlugin } from './app.js'
import 'alcove/fastify-types' // reply.sendFile

const root = fileURLToPath(new URL('../web/dist', import.meta.url))

/** The API and the files that `vite build` has written, on one origin. */
@Plugin({
  imports: [ApiPlugin, use(fastifyStatic, { root, wildcard: false })],
  notFoundHandler: answerNotFound,
})
export class WholeApp {}

/** Paths such as /notes/7 belong to the router of the page, which needs its index.html. Paths of the API do not. */
function answerNotFound(request: Request, reply: Reply) {
  const isPage = request.method === 'GET' && !/^\/api(?:[/?]|$)/.test(request.url) && request.headers.accept?.includes('text/html')
  return isPage === true ? reply.sendFile('index.html') : reply.code(404).send({ message: `There is no ${request.method} ${request.url}` })
}
