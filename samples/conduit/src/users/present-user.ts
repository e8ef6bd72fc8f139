import type { User } from './user.schemas.js'
import type { Account } from './users.js'

export function presentUser({ email, username, bio, image }: Account, token: string): User {
  return { email, token, username, bio, image }
}
