import multer from 'fastify-multer'
import { createServer } from 'under-test'

const upload = multer({ dest: 'uploads/' })
const server = createServer()
server.register(multer.contentParser)
server.post('/', { preHandler: upload.single('file') }, (request) => request.id)
