export * from 'alcove/fastify'
export { default } from 'alcove/fastify'
