import { Controller, Delete, Get, Hook, Injectable, Post, ref, type RouteRequest } from 'alcove'
import { CurrentUser } from '../auth/current-user.js'
import { RetryConflicts } from '../database/unit-of-work.js'
import { refusals } from '../error.schema.js'
import { slugParams } from '../schemas.js'
import { Comment, NewComment } from './comment.schemas.js'
import { Comments } from './comments.js'

const getComments = {
  summary: 'The comments on an article',
  params: slugParams,
  response: {
    200: { type: 'object', required: ['comments'], properties: { comments: { type: 'array', items: ref(Comment) } } },
    ...refusals(401, 404, 422),
  },
} as const

/** Open to everyone. */
@Injectable()
@Controller('/articles/:slug/comments', { docs: { tags: ['Comments'] } })
export class ReadCommentsController {
  constructor(
    private readonly comments: Comments,
    private readonly currentUser: CurrentUser,
  ) {}

  @Get('', getComments)
  async getArticleComments({ params }: RouteRequest<typeof getComments>) {
    return { comments: await this.comments.list(params.slug, this.currentUser.id) }
  }
}

const createComment = {
  summary: 'Comment on an article',
  params: slugParams,
  body: { type: 'object', required: ['comment'], properties: { comment: ref(NewComment) } },
  response: {
    200: { type: 'object', required: ['comment'], properties: { comment: ref(Comment) } },
    ...refusals(401, 404, 422),
  },
} as const

const deleteComment = {
  summary: 'Delete a comment',
  params: {
    type: 'object',
    required: ['slug', 'id'],
    properties: { slug: { type: 'string' }, id: { type: 'integer', minimum: 0, maximum: 2_147_483_647 } },
  },
  response: { 204: { type: 'null', description: 'It is gone' }, ...refusals(401, 403, 404, 422) },
} as const

/** For logged-in users. */
@Injectable()
@Controller('/articles/:slug/comments', { docs: { tags: ['Comments'] } })
export class WriteCommentsController {
  constructor(
    private readonly comments: Comments,
    private readonly currentUser: CurrentUser,
  ) {}

  @Post('', createComment)
  @Hook('around', RetryConflicts)
  async createArticleComment({ params, body }: RouteRequest<typeof createComment>) {
    return { comment: await this.comments.create(params.slug, body.comment, this.currentUser.account.id) }
  }

  @Delete({ path: '/:id', status: 204 }, deleteComment)
  @Hook('around', RetryConflicts)
  async deleteArticleComment({ params }: RouteRequest<typeof deleteComment>) {
    await this.comments.delete(params.slug, params.id, this.currentUser.account.id)
  }
}
