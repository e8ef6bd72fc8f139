import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Ambient, ambient, Controller, Get, Injectable, Plugin, type Request, testServer } from 'alcove'
import { App, AuditLog } from './app.js'
import { CurrentTenant, App as ScopedApp } from './scoped.js'

test('a provider of the application knows the request that called it', async () => {
  await using app = await testServer(App)
  const tenants = ['anna', 'bert', 'cleo']
  await Promise.all(tenants.map((tenant) => app.inject({ url: '/orders', headers: { 'x-tenant': tenant } })))
  assert.deepEqual(
    app.resolve(AuditLog).lines.sort(),
    tenants.map((tenant) => `${tenant}: orders were listed`),
  )
  assert.throws(() => app.resolve(AuditLog).write('nothing'), /read outside of a request/)
})

test('requests that are at work together do not see each other, in hooks after the handler too', async () => {
  const seen: string[] = []
  @Injectable()
  @Controller('/slow')
  class SlowController {
    static readonly inject = [ambient(CurrentTenant)] as const
    constructor(private readonly tenant: Ambient<CurrentTenant>) {}

    @Get()
    async show() {
      const before = this.tenant.current.name
      await wait(5)
      return { before, after: this.tenant.current.name }
    }
  }
  @Injectable()
  class SeenAfter {
    static readonly inject = [ambient(CurrentTenant)] as const
    constructor(private readonly tenant: Ambient<CurrentTenant>) {}
    onResponse({ headers }: Request): void {
      seen.push(`${String(headers['x-tenant'])} ${this.tenant.current.name}`)
    }
  }
  @Plugin({ providers: [CurrentTenant], hooks: { onResponse: SeenAfter }, routes: [SlowController] })
  class SlowApp {}
  await using app = await testServer(SlowApp)
  const tenants = Array.from({ length: 20 }, (_, n) => `tenant ${n}`)
  const replies = await Promise.all(tenants.map((tenant) => app.inject({ url: '/slow', headers: { 'x-tenant': tenant } })))
  assert.deepEqual(
    replies.map((reply) => reply.json()),
    tenants.map((tenant) => ({ before: tenant, after: tenant })),
  )
  assert.deepEqual(seen.sort(), tenants.map((tenant) => `${tenant} ${tenant}`).sort())
})

test('a listener reads the request of the code that emits', async () => {
  const emitter = new EventEmitter()
  const heard: string[] = []
  @Injectable()
  @Controller()
  class Talks {
    static readonly inject = [ambient(CurrentTenant)] as const
    constructor(private readonly tenant: Ambient<CurrentTenant>) {}

    @Get('/listen')
    listen() {
      emitter.once('event', () => heard.push(this.tenant.current.name))
      return {}
    }
    @Get('/emit')
    emit() {
      emitter.emit('event')
      return {}
    }
  }
  @Plugin({ providers: [CurrentTenant], routes: [Talks] })
  class TalkingApp {}
  await using app = await testServer(TalkingApp)
  await app.inject({ url: '/listen', headers: { 'x-tenant': 'anna' } })
  await app.inject({ url: '/emit', headers: { 'x-tenant': 'bert' } })
  assert.deepEqual(heard, ['bert'])
})

test('a test of the class alone passes an object with the value', () => {
  const audit = new AuditLog({ current: { name: 'anna' } } as Ambient<CurrentTenant>)
  audit.write('nothing')
  assert.deepEqual(audit.lines, ['anna: nothing'])
})

test('a request-scoped provider knows its request, and a test gives another one', async () => {
  await using app = await testServer(ScopedApp)
  assert.equal((await app.inject({ url: '/orders', headers: { 'x-tenant': 'anna' } })).body, '["an order of anna"]')
  await using fake = await testServer(ScopedApp, { override: [[CurrentTenant, { name: 'a test' }]] })
  assert.equal((await fake.inject('/orders')).body, '["an order of a test"]')
})
