import awsLambda from '@fastify/aws-lambda'
import { createServer } from 'under-test'

const server = createServer()
export const handler = awsLambda(server, { binaryMimeTypes: ['image/png'] })
server.get('/', (request) => request.id)
