import { Schema } from 'alcove'
import { email, name, nullableText, password } from '../schemas.js'

const user = {
  $id: 'User',
  type: 'object',
  required: ['email', 'token', 'username', 'bio', 'image'],
  properties: {
    email: { type: 'string' },
    token: { type: 'string' },
    username: { type: 'string' },
    bio: nullableText,
    image: nullableText,
  },
} as const

@Schema(user)
export class User {
  email!: string
  token!: string
  username!: string
  bio!: string | null
  image!: string | null
}

const newUser = {
  $id: 'NewUser',
  type: 'object',
  required: ['username', 'email', 'password'],
  properties: { username: name, email: { ...email, format: 'email' }, password: { ...password, format: 'password' } },
} as const

@Schema(newUser)
export class NewUser {
  username!: string
  email!: string
  password!: string
}

const loginUser = {
  $id: 'LoginUser',
  type: 'object',
  required: ['email', 'password'],
  properties: { email, password: { ...password, format: 'password' } },
} as const

@Schema(loginUser)
export class LoginUser {
  email!: string
  password!: string
}

const updateUser = {
  $id: 'UpdateUser',
  type: 'object',
  properties: {
    email: { ...email, format: 'email' },
    password: { ...password, format: 'password' },
    username: name,
    bio: nullableText,
    image: nullableText,
  },
} as const

@Schema(updateUser)
export class UpdateUser {
  email?: string
  password?: string
  username?: string
  bio?: string | null
  image?: string | null
}
