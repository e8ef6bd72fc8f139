import favicon from 'fastify-favicon'
import { createServer } from 'under-test'

createServer().register(favicon, { path: './public', name: 'favicon.ico' })
