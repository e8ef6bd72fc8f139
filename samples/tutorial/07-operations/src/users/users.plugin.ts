import { Plugin } from 'alcove'
import { CurrentUser } from '../auth/auth.plugin.js'
import { Passwords } from '../auth/passwords.js'
import { Credentials, User } from './user.models.js'
import { UsersController } from './users.controller.js'
import { Users } from './users.js'

@Plugin({
  requires: [CurrentUser],
  schemas: [User, Credentials],
  providers: [Users, Passwords],
  private: [Users, Passwords],
  routes: [UsersController],
})
export class UsersPlugin {}
