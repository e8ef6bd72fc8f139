import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { NoSuchKey } from '@aws-sdk/client-s3'
import { Controller, Get, HttpError, Injectable, Plugin, Post, type Reply, type RouteRequest } from 'alcove'
import { Settings, Storage } from './storage.js'

const upload = { response: { 201: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } } } as const
const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'string', format: 'uuid' } } },
  headers: { range: { type: 'string', pattern: '^bytes=[0-9]*-[0-9]*$' } },
} as const

@Injectable()
@Controller('/files')
export class FilesController {
  constructor(private readonly storage: Storage) {}

  /** The bytes go on to the storage while they arrive. `bodyLimit` ends the stream if there are too many. */
  @Post({ status: 201, bodyLimit: 100_000_000 }, upload)
  async upload({ body }: RouteRequest<typeof upload>) {
    const id = randomUUID()
    await this.storage.write(`files/${id}`, 'application/octet-stream', body as Readable)
    return { id }
  }

  @Get('/:id', find)
  async download({ params, headers, signal }: RouteRequest<typeof find>, reply: Reply) {
    try {
      const { Body, ContentLength, ContentRange, ETag } = await this.storage.read(`files/${params.id}`, headers.range, signal)
      if (ContentRange !== undefined) reply.code(206).header('content-range', ContentRange)
      reply.headers({ 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache', 'content-length': ContentLength, etag: ETag })
      return reply.type('application/octet-stream').send(Body as Readable)
    } catch (error) {
      if (error instanceof NoSuchKey) throw new HttpError(404, 'There is no such file', { cause: error })
      if ((error as Error).name === 'InvalidRange') throw new HttpError(416, 'The file has no such part', { cause: error })
      throw error
    }
  }
}

@Plugin({
  contentTypeParsers: [{ type: 'application/octet-stream', parse: (_request, stream, done) => done(null, stream) }],
  providers: [Settings, Storage],
  routes: [FilesController],
})
export class App {}
