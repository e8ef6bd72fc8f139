import { Model } from 'alcove'
import { nullableText } from '../schemas.js'

/** A user, as others see them. */
export class Profile extends Model({
  $id: 'Profile',
  type: 'object',
  required: ['username', 'bio', 'image', 'following'],
  properties: { username: { type: 'string' }, bio: nullableText, image: nullableText, following: { type: 'boolean' } },
}) {}
