/** The code of docs/guide/contexts.md about modules that several others need. */
// #region modules
import { Controller, Get, Injectable, Plugin, shared } from 'alcove'

export class Pool {
  async query(sql: string) {
    return [sql]
  }
}

@Injectable()
export class Users {
  constructor(private readonly pool: Pool) {}

  find(name: string) {
    return this.pool.query(`user ${name}`)
  }
}

@Injectable()
@Controller('/login')
class LoginController {
  constructor(private readonly users: Users) {}

  @Get()
  login() {
    return this.users.find('ada')
  }
}

@Injectable()
@Controller('/invoices')
class InvoicesController {
  constructor(private readonly users: Users) {}

  @Get()
  list() {
    return this.users.find('bob')
  }
}

@Plugin({ providers: [Users, Pool], private: [Pool] })
export class UsersPlugin {}

@Plugin({ imports: [shared(UsersPlugin)], routes: [LoginController] }) // uses the instance of App
export class AuthPlugin {}

@Plugin({ imports: [shared(UsersPlugin)], routes: [InvoicesController] }) // uses it too
export class BillingPlugin {}

@Plugin({ imports: [shared(UsersPlugin), AuthPlugin, BillingPlugin] })
export class App {}
// #endregion
