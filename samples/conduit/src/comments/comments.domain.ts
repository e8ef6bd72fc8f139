import { Plugin } from 'alcove'
import { Comments } from './comments.js'

@Plugin({ shared: true, providers: [Comments] })
export class CommentsDomain {}
