/** Why is a server slow? Four common causes, each beside its cure. */
// #region app
import { randomBytes, scrypt, scryptSync } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Controller, Get, Injectable, Plugin, Post, type RouteRequest } from 'alcove'

const hash = promisify(scrypt) as (password: string, salt: Buffer, length: number) => Promise<Buffer>

/** 1. A computation on the main thread: nothing else runs meanwhile, for any client. */
@Controller('/password')
class PasswordController {
  readonly #salt = randomBytes(16)

  @Get('/sync')
  sync() {
    return { bytes: scryptSync('a password', this.#salt, 64).length }
  }

  @Get('/async')
  async async() {
    return { bytes: (await hash('a password', this.#salt, 64)).length }
  }
}

/** A database on the network: each query takes 10 ms. */
export class Prices {
  async find(id: number): Promise<number> {
    await wait(10)
    return id * 3
  }
  async findAll(ids: readonly number[]): Promise<number[]> {
    await wait(10)
    return ids.map((id) => id * 3)
  }
}

/** 2. Twenty queries, one after the other. */
@Injectable()
@Controller('/orders')
class OrdersController {
  readonly #ids = Array.from({ length: 20 }, (_, id) => id)
  constructor(private readonly prices: Prices) {}

  @Get('/one-by-one')
  async oneByOne() {
    const found: number[] = []
    for (const id of this.#ids) found.push(await this.prices.find(id))
    return found
  }

  @Get('/together')
  together() {
    return this.prices.findAll(this.#ids)
  }
}

const row = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' }, price: { type: 'number' } } } as const
const rows = { response: { 200: { type: 'array', items: row } } } as const
const page = {
  querystring: { type: 'object', properties: { limit: { type: 'integer', maximum: 100, default: 50 } } },
  response: { 200: { type: 'array', items: row } },
} as const

/** 3. More than the client shows. */
@Controller('/rows')
class RowsController {
  readonly #rows = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `product ${id}`, price: id * 1.5 }))

  @Get('/all', rows)
  all() {
    return this.#rows
  }

  @Get('/page', page)
  page({ query }: RouteRequest<typeof page>) {
    return this.#rows.slice(0, query.limit)
  }
}

const field = { type: 'object', properties: { value: { type: 'string', pattern: '^[a-z]+$' }, count: { type: 'integer' } } } as const
/** 4. A large schema, which is compiled when the first request needs it. */
const importRows = {
  body: { type: 'object', properties: Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`field${n}`, field])) },
} as const

@Controller('/import')
class ImportController {
  @Post('', importRows)
  import() {
    return { imported: true }
  }
}

@Controller('/ping')
class PingController {
  @Get()
  ping() {
    return { pong: true }
  }
}

@Plugin({ providers: [Prices], routes: [PasswordController, OrdersController, RowsController, ImportController, PingController] })
export class App {}
// #endregion
