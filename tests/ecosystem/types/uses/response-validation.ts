import responseValidation from '@fastify/response-validation'
import { createServer } from 'under-test'

const server = createServer()
server.register(responseValidation, { responseValidation: true, ajv: { removeAdditional: false } })
server.get('/', { responseValidation: false }, () => 'x')
