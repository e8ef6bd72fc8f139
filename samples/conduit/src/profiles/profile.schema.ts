import { Schema } from 'alcove'
import { nullableText } from '../schemas.js'

const profile = {
  $id: 'Profile',
  type: 'object',
  required: ['username', 'bio', 'image', 'following'],
  properties: { username: { type: 'string' }, bio: nullableText, image: nullableText, following: { type: 'boolean' } },
} as const

/** A user, as others see them. */
@Schema(profile)
export class Profile {
  username!: string
  bio!: string | null
  image!: string | null
  following!: boolean
}
