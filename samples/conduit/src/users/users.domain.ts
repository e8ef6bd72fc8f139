import { Plugin } from 'alcove'
import { Passwords } from '../auth/passwords.js'
import { LoginUser, NewUser, UpdateUser, User } from './user.schemas.js'
import { Users } from './users.js'

@Plugin({ shared: true, schemas: [User, NewUser, LoginUser, UpdateUser], providers: [Users, Passwords] })
export class UsersDomain {}
