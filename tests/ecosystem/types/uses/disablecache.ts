import disableCache from 'fastify-disablecache'
import { createServer } from 'under-test'

createServer().register(disableCache)
