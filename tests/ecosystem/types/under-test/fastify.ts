export { fastify as createServer } from 'fastify'
