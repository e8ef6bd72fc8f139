import diagnostics from '@fastify/diagnostics-channel'
import { createServer } from 'under-test'

createServer().register(diagnostics, {})
