/** How is a form with a file read? Part by part, as streams, within limits. */
// #region multipart
import { pipeline } from 'node:stream/promises'
import { createHash } from 'node:crypto'
import multipart from '@fastify/multipart'
import { Controller, HttpError, Plugin, Post, type Request, use } from 'alcove'
import 'alcove/fastify-types' // request.file …

@Controller('/photos')
class PhotosController {
  @Post({ status: 201 })
  async upload(request: Request) {
    const photo = await request.file()
    if (photo === undefined) throw new HttpError(400, 'Send a file')
    const hash = createHash('sha256')
    await pipeline(photo.file, hash) // or createWriteStream(…), or an upload to a bucket
    if (photo.file.truncated) throw new HttpError(413, 'A photo has at most 1 MB')
    return { name: photo.filename, type: photo.mimetype, sha256: hash.digest('hex') }
  }
}

@Plugin({ imports: [use(multipart, { limits: { fileSize: 1_000_000, files: 1 } })], routes: [PhotosController] })
export class App {}
// #endregion
