import mongodb from '@fastify/mongodb'
import { createServer } from 'under-test'

const server = createServer()
server.register(mongodb, { url: 'mongodb://localhost/test' })
server.get('/', async () => server.mongo.db?.collection('users').findOne({ _id: new server.mongo.ObjectId() }))
