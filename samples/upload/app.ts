/** How is a file uploaded? As a stream into a file, never whole in memory, with a limit that also works without a content-length. */
// #region save
import { randomUUID } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Controller, HttpError, Injectable, Plugin, pluginOptions, Post, type RouteRequest } from 'alcove'

export interface UploadOptions {
  directory: string
  /** bytes */
  limit: number
}

class Uploads {
  static readonly inject = [pluginOptions<UploadOptions>()] as const
  constructor(private readonly options: UploadOptions) {}

  /** Writes the stream to a new file, and removes the file if the stream exceeds the limit. */
  async save(source: Readable): Promise<{ id: string; size: number }> {
    const { directory, limit } = this.options
    await mkdir(directory, { recursive: true })
    const id = randomUUID()
    const path = join(directory, id)
    const file = await open(path, 'wx')
    let size = 0
    try {
      // Destroying the request would also destroy its socket, and the client would get no answer.
      for await (const chunk of source.iterator({ destroyOnReturn: false })) {
        size += (chunk as Buffer).length
        if (size > limit) throw new HttpError(413, `A file has at most ${limit} bytes`)
        await file.write(chunk as Buffer)
      }
    } catch (error) {
      await rm(path, { force: true })
      throw error
    } finally {
      await file.close()
    }
    return { id, size }
  }
}
// #endregion

// #region route
const upload = {
  response: { 201: { type: 'object', properties: { id: { type: 'string' }, size: { type: 'integer' } }, required: ['id', 'size'] } },
} as const

@Injectable()
@Controller('/files')
class FilesController {
  constructor(private readonly uploads: Uploads) {}

  @Post({ status: 201 }, upload)
  upload({ body }: RouteRequest<typeof upload>) {
    return this.uploads.save(body as Readable)
  }
}

@Plugin({
  // A parser without `parseAs` gets the stream; this one hands it to the handler as it is.
  contentTypeParsers: [{ type: 'application/octet-stream', parse: (_request, stream, done) => done(null, stream) }],
  providers: [Uploads],
  routes: [FilesController],
})
export class UploadPlugin {
  setup(_instance: unknown, _options: UploadOptions) {}
}
// #endregion

/** For clients, which are typed by them. */
export type { FilesController }
