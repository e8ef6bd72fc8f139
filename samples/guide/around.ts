/** The code of docs/guide/hooks.md about hooks around the handler. */
// #region around
import { Controller, Get, Hook, type Next, Plugin, type RouteRequest } from 'alcove'

export class Db {
  readonly log: string[] = []

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    this.log.push('begin')
    try {
      const result = await work()
      this.log.push('commit')
      return result
    } catch (error) {
      this.log.push('rollback')
      throw error
    }
  }
}

class Transaction {
  static readonly inject = [Db] as const
  constructor(private readonly db: Db) {}

  around(_request: RouteRequest, next: Next) {
    return this.db.transaction(() => next())
  }
}

class Listed {
  async around(_request: RouteRequest, next: Next<string[]>) {
    const users = await next()
    return { users, count: users.length }
  }
}

@Controller('/users')
class UsersController {
  @Get()
  @Hook('around', Listed)
  list() {
    return ['ada', 'bob']
  }

  @Get('/broken')
  broken() {
    throw new Error('The table is missing')
  }
}

@Plugin({ providers: [Db], hooks: { around: [Transaction] }, routes: [UsersController] })
export class UsersPlugin {}
// #endregion
