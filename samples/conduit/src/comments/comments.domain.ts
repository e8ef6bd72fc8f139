import { Plugin } from 'alcove'
import { Mailer } from '../mailer.js'
import { COMMENT_MAILS, SendCommentMail } from './comment-mails.js'
import { Comments } from './comments.js'

@Plugin({ shared: true, providers: [Comments, COMMENT_MAILS, Mailer], jobs: [SendCommentMail] })
export class CommentsDomain {}
