/** Runs the app over a socket and in tests. */
import assert from 'node:assert/strict'
import { bootstrap, check, testServer, WiringError } from 'alcove'
import { App, GREETING, Hello, PeopleController } from './app.js'
import { DatesApp } from './constructor-types.js'

/** Compared as text: under Jest, what `fetch` returns is of another realm. */
function same(actual: unknown, expected: unknown): void {
  assert.equal(JSON.stringify(actual), JSON.stringify(expected))
}

async function overSocket(): Promise<void> {
  check(App)
  const server = await bootstrap(App)
  try {
    const origin = await server.listen({ port: 0, host: '127.0.0.1' })
    const ask = async (path: string, init?: RequestInit) => {
      const response = await fetch(origin + path, init)
      return [response.status, await response.json()] as const
    }
    const json = { 'content-type': 'application/json' }
    same(await ask('/people/1'), [200, { id: 1, name: 'Ada' }])
    same((await ask('/people/9'))[0], 404)
    assert.equal((await ask('/people/x'))[1].message, 'params/id should be integer')
    const create = (caller: string, body: object) =>
      ask('/people', { method: 'POST', headers: { ...json, 'x-caller': caller }, body: JSON.stringify(body) })
    assert.equal((await create('nobody', { name: 'Bob' }))[0], 403)
    same(await create('admin', { name: 'Bob' }), [201, { id: 2, name: 'Bob' }])
    assert.equal((await create('admin', {}))[1].message, "body should have required property 'name'")
    same(await ask('/hello-area/hello'), [200, { text: 'Hello', visits: 1, url: '/hello-area/hello' }])
  } finally {
    await server.close()
  }
}

async function inTests(): Promise<void> {
  const app = await testServer(App, { override: [[GREETING, 'Bonjour']] })
  try {
    same((await app.call(Hello).expect(200)).text, 'Bonjour')
    assert.equal((await app.call(PeopleController, 'find', { params: { id: 1 } }).expect(200)).name, 'Ada')
  } finally {
    await app.close()
  }
}

/** `runs` with constructor metadata; without it the boot has to say what to write instead. */
async function constructorTypes(): Promise<string> {
  try {
    const app = await testServer(DatesApp)
    const { body } = await app.inject('/today')
    await app.close()
    return body === '{"today":42}' ? 'runs' : `answers ${body}`
  } catch (error) {
    return error instanceof WiringError && /static (readonly )?inject/.test(error.message) ? 'explained' : `fails: ${String(error)}`
  }
}

export async function probe(): Promise<{ app: 'runs'; constructorTypes: string }> {
  await overSocket()
  await inTests()
  return { app: 'runs', constructorTypes: await constructorTypes() }
}
