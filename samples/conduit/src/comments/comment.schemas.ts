import { Model, ref } from 'alcove'
import { Profile } from '../profiles/profile.schema.js'
import { text, time } from '../schemas.js'

export class Comment extends Model({
  $id: 'Comment',
  type: 'object',
  required: ['id', 'createdAt', 'updatedAt', 'body', 'author'],
  properties: { id: { type: 'integer' }, createdAt: time, updatedAt: time, body: { type: 'string' }, author: ref(Profile) },
}) {}

export class NewComment extends Model({ $id: 'NewComment', type: 'object', required: ['body'], properties: { body: text } }) {}
