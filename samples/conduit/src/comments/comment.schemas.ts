import { ref, Schema } from 'alcove'
import { Profile } from '../profiles/profile.schema.js'
import { text, time } from '../schemas.js'

const comment = {
  $id: 'Comment',
  type: 'object',
  required: ['id', 'createdAt', 'updatedAt', 'body', 'author'],
  properties: { id: { type: 'integer' }, createdAt: time, updatedAt: time, body: { type: 'string' }, author: ref(Profile) },
} as const

@Schema(comment)
export class Comment {
  id!: number
  createdAt!: Date
  updatedAt!: Date
  body!: string
  author!: Profile
}

const newComment = { $id: 'NewComment', type: 'object', required: ['body'], properties: { body: text } } as const

@Schema(newComment)
export class NewComment {
  body!: string
}
