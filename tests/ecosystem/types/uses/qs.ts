import qs from 'fastify-qs'
import { createServer } from 'under-test'

createServer().register(qs, { arrayLimit: 10 })
