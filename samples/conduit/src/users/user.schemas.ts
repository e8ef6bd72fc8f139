import { extend, Model, partial } from 'alcove'
import { email, name, nullableText, password } from '../schemas.js'

export class User extends Model({
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
}) {}

export class NewUser extends Model({
  $id: 'NewUser',
  type: 'object',
  required: ['username', 'email', 'password'],
  properties: { username: name, email: { ...email, format: 'email' }, password: { ...password, format: 'password' } },
}) {}

export class LoginUser extends Model({
  $id: 'LoginUser',
  type: 'object',
  required: ['email', 'password'],
  properties: { email, password: { ...password, format: 'password' } },
}) {}

export class UpdateUser extends Model(
  extend(partial(NewUser), { $id: 'UpdateUser', properties: { bio: nullableText, image: nullableText } }),
) {}
