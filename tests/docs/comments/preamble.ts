/** What the examples in doc comments use and do not declare: the application that a reader thinks of. */
export * as http from 'node:http'
export { test } from 'node:test'
export { writeFile } from 'node:fs/promises'
export { setTimeout as wait } from 'node:timers/promises'
import bearerAuth from '@fastify/bearer-auth'
import {
  type BootstrappedServer,
  type Class,
  Controller,
  domainEvent,
  type Emitter,
  Get,
  httpError,
  Job,
  type JobRun,
  metadataDecorator,
  Model,
  queue,
  type Reply,
  type Request,
  requestDecorator,
  type RouteHandler,
  type RouteRequest,
  type SqlClient,
  token,
} from 'alcove'
import type { BullMqClasses, PgBossClient } from 'alcove/jobs'
export { version, VersionChanged } from 'alcove/conditional'
export { Idempotent, IdempotencyPlugin, MemoryStore, PostgresStore, RedisStore } from 'alcove/idempotency'
export { openTelemetry, traceIds } from 'alcove/telemetry'
export { BullMqDriver, OutboxDriver, PgBossDriver } from 'alcove/jobs'

export declare const server: BootstrappedServer
export declare const request: Request
export declare const reply: Reply
export declare const error: unknown
export declare const url: string
export declare const baseUrl: string
export declare const secret: string
export declare const config: { readonly url: string; readonly secret: string }
export declare const user: { readonly type: 'object'; readonly properties: { readonly name: { readonly type: 'string' } } }
export declare const params: {
  readonly type: 'object'
  readonly required: readonly ['id']
  readonly properties: { readonly id: { readonly type: 'integer' } }
}
export declare const schema: { readonly params: typeof params }
export declare const problem: object
export declare const client: { query(sql: string, values?: unknown[]): Promise<unknown> }
export declare const ioredis: { call(command: string, ...args: string[]): Promise<unknown> }
export declare const nodeRedis: { sendCommand(command: string[]): Promise<unknown> }
// Of a client file.
export declare const usersFindRoute: object
export declare function bindRoutes(routes: object, options: { readonly baseUrl: string }): unknown

declare module 'alcove' {
  interface AddedMethods {
    REPORT: true
  }
}
export interface MySchema<T> {
  readonly mine: T
}
export class User extends Model({
  $id: 'User',
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
}) {}
export class Article extends Model({
  $id: 'Article',
  type: 'object',
  required: ['id', 'title', 'body'],
  properties: { id: { type: 'integer' }, title: { type: 'string' }, body: { type: 'string' } },
}) {}
export class Tick extends Model({ $id: 'Tick', type: 'object', required: ['n'], properties: { n: { type: 'integer' } } }) {}
export interface Database {
  query(sql: string): Promise<unknown[]>
}
export declare class Db implements Database {
  query(sql: string): Promise<unknown[]>
  transaction<T>(work: () => Promise<T>): Promise<T>
}
export declare const App: Class
export class Users {
  find(id: number): User {
    return new User({ id, name: '' })
  }
}
export declare const fastUri: object
type FoundUser = { status: 200; body: { name: string } } | { status: 404; body: unknown }
interface FindUser {
  (parts: { params: { id: number } }): Promise<FoundUser> & { expect(status: 200): Promise<{ name: string }> }
  url(parts: { params: { id: number } }): string
}
export interface UsersApi {
  find: FindUser
}
export declare const users: UsersApi
export declare function createClient(options: { baseUrl: string }): { readonly users: UsersApi }
export { bearerAuth }
export declare const jwt: (instance: object, options: { secret: string }) => Promise<void>
export declare function find(id: unknown): User
export declare function connect(url: string): Promise<Db>
export declare const handler: RouteHandler
export class Problem extends Model({ $id: 'Problem', type: 'object', properties: { message: { type: 'string' } } }) {}
export const CurrentUser = requestDecorator('user', null).as<User | null>()
export const Answer = requestDecorator('answer', 42)
export const CONFIG = token<typeof config>('CONFIG')
export const DB = token<Db>('DB')
export const JwtUser = requestDecorator('user').as<User>()
export const Bar = requestDecorator('bar', 1)
export const Every = metadataDecorator<{ ms: number }>('Every')
export const BOSS = token<PgBossClient>('BOSS')
export const POOL = token<SqlClient>('POOL')
export declare const bullmq: BullMqClasses
export const MAILS = queue('mails', {
  input: { type: 'object', required: ['to'], properties: { to: { type: 'string' } } },
})
@Job({ queue: MAILS })
export class SendMail {
  run(_: JobRun<typeof MAILS>): void {}
}
export const REGISTERED = domainEvent('user.registered', {
  payload: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})
export type { Emitter }
export class AuditLog {}
export class Clock {}
export class Mailer {
  async send(_to: string, _signal: AbortSignal): Promise<void> {}
}
export class SqlUsers extends Users {}
export class FakeUsers extends Users {}
export abstract class Reader {
  abstract find(id: number): User
}
export class NoSuchUser extends Error {}
export class Unauthorized extends httpError(401) {}
export class RequireUser {
  onRequest(): void {}
}
export class RolesGuard {
  preHandler(): void {}
}
export class UsersPlugin {
  setup(_server: object, _options: { table?: string }): void {}
}
export class TenantPlugin {
  setup(_server: object, _options: { header?: string }): void {}
}
export class BillingPlugin {}
export class MetricsPlugin {}
export class PublicPlugin {}
export class Shop {}
export class GetTwo {
  handle(): { answer: number } {
    return { answer: 42 }
  }
}
const findUser = {
  params: { id: { type: 'integer' } },
  response: { 200: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
} as const
@Controller('/users')
export class UsersController {
  @Get('/:id', findUser)
  find({ params }: RouteRequest<typeof findUser>) {
    return { name: String(params.id) }
  }
}
export declare function schedule(pattern: string, work: () => unknown): void
export declare function authenticate(request: Request): Promise<unknown>
export declare function requireUser(request: Request): Promise<void>
export declare function database(server: object): Promise<void>
export declare function store(stream: unknown): Promise<void>
export declare function save(body: unknown): User
export declare function list(): User[]
