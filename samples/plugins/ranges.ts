/** How are parts of files served, to those who may read them? By @fastify/static, behind a guard. */
// #region ranges
import fastifyStatic from '@fastify/static'
import { Controller, Get, httpError, Injectable, Plugin, type Reply, requestDecorator, type RouteRequest, use } from 'alcove'
import 'alcove/fastify-types' // reply.sendFile

export const CurrentUser = requestDecorator('user').as<string>()

class Unauthorized extends httpError(401, {}, { message: 'Send a key as x-key' }) {}
class NoSuchVideo extends httpError(404, {}, { message: 'There is no such video' }) {}

class RequireUser {
  static readonly sets = [CurrentUser] as const
  static readonly throws = [Unauthorized] as const

  onRequest(request: RouteRequest<unknown, [typeof CurrentUser]>) {
    if (request.headers['x-key'] !== 'ada-key') throw new Unauthorized()
    request.user = 'ada'
  }
}

/** Who may see which file. Files have names of your own, never those that a client has chosen. */
export class Videos {
  readonly #files = new Map([
    [1, { owner: 'ada', file: 'f3a1.mp4' }],
    [2, { owner: 'bob', file: '77c0.mp4' }],
  ])
  fileOf(id: number, user: string): string {
    const video = this.#files.get(id)
    if (video === undefined || video.owner !== user) throw new NoSuchVideo()
    return video.file
  }
}

const show = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } } as const

@Injectable()
@Controller('/videos')
export class VideosController {
  constructor(private readonly videos: Videos) {}

  @Get({ path: '/:id', throws: [NoSuchVideo] }, show)
  show({ params, user }: RouteRequest<typeof show, [typeof CurrentUser]>, reply: Reply) {
    const file = this.videos.fileOf(params.id, user)
    return reply.header('cache-control', 'private, max-age=3600').sendFile(file)
  }
}

@Plugin({
  decorateRequest: [CurrentUser],
  providers: [Videos],
  hooks: { onRequest: RequireUser },
  imports: [use(fastifyStatic, { root: process.env['VIDEOS'] ?? '/srv/videos', serve: false, cacheControl: false })],
  routes: [VideosController],
})
export class App {}
// #endregion

// #region folder
/** A whole folder for every user: the plugin adds its routes here, so the guard covers them. */
@Plugin({
  prefix: '/courses',
  decorateRequest: [CurrentUser],
  hooks: { onRequest: RequireUser },
  imports: [
    use(fastifyStatic, {
      root: process.env['VIDEOS'] ?? '/srv/videos',
      cacheControl: false,
      setHeaders: (reply) => void reply.header('cache-control', 'private, no-cache'),
    }),
  ],
})
export class CoursesPlugin {}
// #endregion
