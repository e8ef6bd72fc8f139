import sentry from '@immobiliarelabs/fastify-sentry'
import { createServer } from 'under-test'

const server = createServer()
server.register(sentry, { dsn: 'https://x@sentry.io/1', environment: 'test' })
export const send = () => server.Sentry.captureMessage('x')
