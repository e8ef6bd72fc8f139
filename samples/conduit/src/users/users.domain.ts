import { Plugin } from 'alcove'
import { Passwords } from '../auth/passwords.js'
import { Users } from './users.js'

@Plugin({ shared: true, providers: [Users, Passwords] })
export class UsersDomain {}
