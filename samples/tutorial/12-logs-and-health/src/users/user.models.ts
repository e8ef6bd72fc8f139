import { httpError, Schema } from 'alcove'

@Schema({
  $id: 'User',
  type: 'object',
  required: ['id', 'email'],
  properties: { id: { type: 'integer' }, email: { type: 'string' } },
})
export class User {
  id!: number
  email!: string
}

@Schema({
  $id: 'Credentials',
  type: 'object',
  required: ['email', 'password'],
  additionalProperties: false,
  properties: {
    email: { type: 'string', format: 'email', maxLength: 254 },
    password: { type: 'string', minLength: 10, maxLength: 200, format: 'password' },
  },
})
export class Credentials {
  email!: string
  password!: string
}

export class EmailTaken extends httpError(409, {}, { message: 'This address has an account already' }) {}
export class WrongCredentials extends httpError(401, {}, { message: 'The address or the password is wrong' }) {}
