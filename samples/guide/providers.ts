/** The code of docs/guide/providers.md. */
import { Plugin, Route, SERVER } from 'alcove'
import type { Request } from 'alcove'

// #region factory
import { factory, token } from 'alcove'

export interface Db {
  query(sql: string): Promise<string[]>
  close?(): void
}

async function connect(url: string): Promise<Db> {
  return { query: async (sql) => [`${url}: ${sql}`] }
}

const URL_OF_DB = token<string>('URL_OF_DB')
const DB = token<Db>('DB')

const dbUrl = { provide: URL_OF_DB, useValue: 'postgres://localhost' }
const db = factory(DB, [URL_OF_DB], (url) => connect(url)) // a promise is awaited at boot
// #endregion

// #region instead
abstract class Reader {
  abstract read(id: number): string
}

class Users extends Reader {
  read(id: number) {
    return `user ${id}`
  }
}

class SqlUsers extends Users {
  override read(id: number) {
    return `row ${id}`
  }
}

const users = { provide: Users, useClass: SqlUsers } // a class that asks for Users gets a SqlUsers
const reader = { provide: Reader, useExisting: Users } // a class that asks for Reader gets the same instance
// #endregion

// #region inject
import { optional } from 'alcove'

class Mailer {}

class Invoices {
  static readonly inject = [DB, optional(Mailer)] as const
  constructor(
    private readonly db: Db,
    readonly mailer: Mailer | undefined,
  ) {}

  list() {
    return this.db.query('invoices')
  }
}
// #endregion

// #region pools
import { REQUEST } from 'alcove'

class Pools {
  readonly #pools = new Map<string, { tenant: string; closed: boolean; close(): void }>()

  of(tenant: string) {
    let pool = this.#pools.get(tenant)
    if (pool === undefined) this.#pools.set(tenant, (pool = { tenant, closed: false, close: () => void (pool!.closed = true) }))
    return pool
  }
}

export const POOL = token<ReturnType<Pools['of']>>('POOL')

const pool = factory(POOL, [Pools, REQUEST], (pools, request) => pools.of(tenantOf(request)), { scope: 'request', owned: false })

function tenantOf({ headers }: Request): string {
  return String(headers['x-tenant'])
}
// #endregion

// #region scopes
import { Injectable } from 'alcove'

@Injectable({ scope: 'request' }) // one instance for each request, shared by its hooks and its handler
class Visit {
  readonly started = Date.now()

  dispose() {
    ended.push('visit')
  }
}

class Worker {
  onReady() {
    ended.push('ready')
  }
  onListen() {
    ended.push('listening')
  }
  async [Symbol.asyncDispose]() {
    ended.push('worker')
  }
}
// #endregion

/** What the instances have recorded of their lives. */
export const ended: string[] = []

@Injectable()
@Route({ method: 'GET', path: '/' })
class Show {
  static readonly inject = [Reader, Invoices, POOL, Visit, SERVER] as const
  constructor(
    private readonly reader: Reader,
    private readonly invoices: Invoices,
    private readonly pool: { tenant: string; closed: boolean },
    readonly visit: Visit,
    readonly server: unknown,
  ) {}

  async handle() {
    return {
      user: this.reader.read(1),
      invoices: await this.invoices.list(),
      mailer: this.invoices.mailer === undefined,
      tenant: this.pool.tenant,
      closed: this.pool.closed,
    }
  }
}

@Plugin({ providers: [dbUrl, db, users, reader, Invoices, Pools, pool, Visit, Worker], routes: [Show] })
export class App {}
