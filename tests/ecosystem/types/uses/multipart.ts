import multipart, { type MultipartFile } from '@fastify/multipart'
import { createServer } from 'under-test'

const server = createServer()
server.register(multipart, { limits: { fileSize: 1000 } })
server.post('/', async (request) => {
  const file: MultipartFile | undefined = await request.file()
  for await (const part of request.parts()) if (part.type === 'file') await part.toBuffer()
  return { multipart: request.isMultipart(), name: file?.filename, saved: await request.saveRequestFiles() }
})
