import 'alcove/fastify-types'
export { createServer } from 'alcove'
