import healthcheck from 'fastify-healthcheck'
import { createServer } from 'under-test'

createServer().register(healthcheck, { healthcheckUrl: '/health', exposeUptime: true })
