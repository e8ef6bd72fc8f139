import { Plugin } from 'alcove'
import { CurrentUser } from '../auth/auth.plugin.js'
import { Passwords } from '../auth/passwords.js'
import { UsersController } from './users.controller.js'
import { Users } from './users.js'

@Plugin({
  requires: [CurrentUser],
  providers: [Users, Passwords],
  private: [Users, Passwords],
  routes: [UsersController],
})
export class UsersPlugin {}
