/** How is a query builder connected? As a provider, which the application closes; a transaction for a request by an `around` hook. */
// #region database
import { PGlite } from '@electric-sql/pglite'
import { and, eq, gte, sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { drizzle, type PgliteDatabase } from 'drizzle-orm/pglite'
import { environment, factory } from 'alcove'

const accounts = pgTable('accounts', { name: text().primaryKey(), balance: integer().notNull() })

export class Settings extends environment({ DATABASE_FOLDER: { type: 'string', default: 'memory://' } }) {}

export class Database {
  constructor(
    readonly client: PGlite,
    readonly db: PgliteDatabase,
  ) {}

  /** alcove calls it when the server has closed, after the last request. */
  async onClose(): Promise<void> {
    await this.client.close()
  }
}

/** The boot waits for the promise; if it rejects, the application does not start. */
export const databaseProvider = factory(Database, [Settings], async ({ DATABASE_FOLDER }) => {
  const client = await PGlite.create(DATABASE_FOLDER)
  const db = drizzle(client)
  await db.execute(sql`create table if not exists accounts (name text primary key, balance integer not null)`)
  return new Database(client, db)
})
// #endregion

// #region transaction
import { Injectable, type Next } from 'alcove'

/** What the queries of a request go to: the database, or the transaction that {@link InTransaction} has begun. */
@Injectable({ scope: 'request' })
export class Work {
  db: Pick<PgliteDatabase, 'insert' | 'select' | 'update'>
  constructor(database: Database) {
    this.db = database.db
  }
}

/** Commits when the handler returns, and rolls back when it throws. */
@Injectable()
export class InTransaction {
  constructor(
    private readonly database: Database,
    private readonly work: Work,
  ) {}

  around(_request: unknown, next: Next) {
    return this.database.db.transaction((transaction) => {
      this.work.db = transaction
      return next()
    })
  }
}

@Injectable({ scope: 'request' })
export class Accounts {
  constructor(private readonly work: Work) {}

  async balanceOf(name: string): Promise<number | undefined> {
    const [account] = await this.work.db.select().from(accounts).where(eq(accounts.name, name))
    return account?.balance
  }
  async add(name: string, amount: number): Promise<void> {
    const balance = sql`${accounts.balance} + ${amount}`
    await this.work.db.insert(accounts).values({ name, balance: amount }).onConflictDoUpdate({ target: accounts.name, set: { balance } })
  }
  /** @returns whether there was enough */
  async take(name: string, amount: number): Promise<boolean> {
    const isEnough = and(eq(accounts.name, name), gte(accounts.balance, amount))
    const balance = sql`${accounts.balance} - ${amount}`
    const taken = await this.work.db.update(accounts).set({ balance }).where(isEnough).returning()
    return taken.length === 1
  }
}
// #endregion

// #region routes
import { Controller, Get, Hook, HttpError, Plugin, Post, type RouteRequest } from 'alcove'

const name = { type: 'string', minLength: 1, maxLength: 50 } as const
const find = { params: { type: 'object', required: ['name'], properties: { name } } } as const
const amount = { type: 'integer', minimum: 1 } as const
const transfer = { body: { type: 'object', required: ['from', 'to', 'amount'], properties: { from: name, to: name, amount } } } as const

@Injectable()
@Controller('/accounts')
export class AccountsController {
  constructor(private readonly accounts: Accounts) {}

  @Get('/:name', find)
  async find({ params }: RouteRequest<typeof find>) {
    const balance = await this.accounts.balanceOf(params.name)
    if (balance === undefined) throw new HttpError(404, 'There is no such account')
    return { balance }
  }

  @Post({ path: '/transfers', status: 204 }, transfer)
  @Hook('around', InTransaction)
  async transfer({ body }: RouteRequest<typeof transfer>) {
    await this.accounts.add(body.to, body.amount)
    if (!(await this.accounts.take(body.from, body.amount))) throw new HttpError(409, 'There is not enough money')
  }
}

@Plugin({ providers: [Settings, databaseProvider, Work, Accounts], routes: [AccountsController] })
export class App {}
// #endregion
