import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Controller, Get, Injectable, Plugin, type Request, testServer } from 'alcove'
import { App, AuditLog, CurrentRequest, CurrentRequestPlugin } from './app.js'
import { App as ScopedApp, CurrentTenant } from './scoped.js'

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

test('requests that are at work together do not see the facts of each other, in hooks after the handler too', async () => {
  const seen: string[] = []
  @Injectable()
  @Controller('/slow')
  class SlowController {
    constructor(private readonly current: CurrentRequest) {}

    @Get()
    async show() {
      const before = this.current.facts.tenant
      await wait(5)
      return { before, after: this.current.facts.tenant }
    }
  }
  @Injectable()
  class SeenAfter {
    constructor(private readonly current: CurrentRequest) {}
    onResponse({ headers }: Request): void {
      seen.push(`${String(headers['x-tenant'])} ${this.current.facts.tenant}`)
    }
  }
  @Plugin({ imports: [CurrentRequestPlugin], hooks: { onResponse: SeenAfter }, routes: [SlowController] })
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

test('a listener runs with the facts of the code that emits, and a timer that was set at the start with none', async () => {
  const emitter = new EventEmitter()
  const heard: unknown[] = []
  const current = new CurrentRequest()
  const listen = () => emitter.once('event', () => heard.push(current.facts.tenant))
  await Promise.all([
    (async () => {
      current.enter({ id: '1', tenant: 'anna' })
      listen()
    })(),
    (async () => {
      current.enter({ id: '2', tenant: 'bert' })
      await wait(5)
      emitter.emit('event')
    })(),
  ])
  assert.deepEqual(heard, ['bert'])
})

test('a request-scoped provider knows its request, and a test gives another one', async () => {
  await using app = await testServer(ScopedApp)
  assert.equal((await app.inject({ url: '/orders', headers: { 'x-tenant': 'anna' } })).body, '["an order of anna"]')
  await using fake = await testServer(ScopedApp, { override: [[CurrentTenant, { name: 'a test' }]] })
  assert.equal((await fake.inject('/orders')).body, '["an order of a test"]')
})
