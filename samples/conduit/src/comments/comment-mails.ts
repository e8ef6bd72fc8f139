/** The author of an article gets a mail for each comment. */
import { Injectable, Job, type JobRun, queue } from 'alcove'
import { Database } from '../database/database.js'
import { Mailer } from '../mailer.js'

/** The comments whose mails are to be sent. */
export const COMMENT_MAILS = queue('comment-mails', {
  input: { type: 'object', required: ['commentId'], properties: { commentId: { type: 'integer' } } },
  retry: { limit: 5, delay: 10_000, backoff: 'exponential' }, // ms
})

@Injectable()
@Job({ queue: COMMENT_MAILS, concurrency: 5 })
export class SendCommentMail {
  constructor(
    private readonly db: Database,
    private readonly mailer: Mailer,
  ) {}

  async run({ input }: JobRun<typeof COMMENT_MAILS>): Promise<void> {
    const comment = await this.db
      .selectFrom('comments')
      .innerJoin('users as commenter', 'commenter.id', 'comments.author_id')
      .innerJoin('articles', 'articles.id', 'comments.article_id')
      .innerJoin('users as author', 'author.id', 'articles.author_id')
      .select(['comments.body', 'commenter.username', 'articles.title', 'author.email'])
      .where('comments.id', '=', input.commentId)
      .executeTakeFirst()
    // The comment has been deleted in the meantime.
    if (comment === undefined) return
    const { email, username, title, body } = comment
    await this.mailer.send({ to: email, subject: `${username} has commented on "${title}"`, text: body })
  }
}
