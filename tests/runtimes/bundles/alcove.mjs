import { httpError, Plugin, Route } from 'alcove'
import { Users } from './users.mjs'

class NoSuchUser extends httpError(404, {}, { message: 'There is no such user' }) {}

const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  response: { 200: { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: { type: 'string' } } } },
}

class FindUser {
  static {
    Route({ method: 'GET', path: '/users/:id', throws: [NoSuchUser] }, find)(this)
  }

  static inject = [Users]
  constructor(users) {
    this.users = users
  }

  handle({ params }) {
    const user = this.users.find(params.id)
    if (user === undefined) throw new NoSuchUser()
    return user
  }
}

export class App {
  static {
    Plugin({ providers: [Users], routes: [FindUser] })(this)
  }
}
