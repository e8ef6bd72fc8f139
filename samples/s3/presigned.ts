import { randomUUID } from 'node:crypto'
import { Controller, Get, httpError, Injectable, Plugin, Post, type Reply, type RouteRequest } from 'alcove'
import { Settings, Storage } from './storage.js'

class NoSuchPhoto extends httpError(404, {}, { message: 'There is no such photo' }) {}

/** Which photos there are. In a real application it is a table. */
export class Photos {
  readonly #keys = new Set<string>()
  add(): string {
    const key = `photos/${randomUUID()}`
    this.#keys.add(key)
    return key
  }
  find(key: string): string {
    if (!this.#keys.has(key)) throw new NoSuchPhoto()
    return key
  }
}

const announce = {
  body: {
    type: 'object',
    required: ['type', 'size'],
    properties: {
      type: { type: 'string', enum: ['image/png', 'image/jpeg'] },
      size: { type: 'integer', minimum: 1, maximum: 10_000_000 },
    },
  },
  response: { 201: { type: 'object', required: ['id', 'url'], properties: { id: { type: 'string' }, url: { type: 'string' } } } },
} as const
const find = { params: { type: 'object', required: ['id'], properties: { id: { type: 'string', format: 'uuid' } } } } as const

@Injectable()
@Controller('/photos')
export class PhotosController {
  constructor(
    private readonly photos: Photos,
    private readonly storage: Storage,
  ) {}

  /** The client then sends the file itself: PUT to the URL, with this type. */
  @Post({ status: 201 }, announce)
  async announce({ body }: RouteRequest<typeof announce>) {
    const key = this.photos.add()
    return { id: key.replace('photos/', ''), url: await this.storage.uploadUrl(key, body.type, body.size) }
  }

  @Get({ path: '/:id', throws: [NoSuchPhoto] }, find)
  async show({ params }: RouteRequest<typeof find>, reply: Reply) {
    const url = await this.storage.downloadUrl(this.photos.find(`photos/${params.id}`))
    return reply.header('cache-control', 'no-store').redirect(url, 302)
  }
}

@Plugin({ providers: [Settings, Storage, Photos], routes: [PhotosController] })
export class App {}
