import { Plugin } from 'alcove'
import { Comment, NewComment } from './comment.schemas.js'
import { Comments } from './comments.js'

@Plugin({ shared: true, schemas: [Comment, NewComment], providers: [Comments] })
export class CommentsDomain {}
