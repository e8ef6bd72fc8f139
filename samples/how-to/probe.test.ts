/** The code of docs/how-to/probe.md. */
// #region all
import { test } from 'node:test'
import { probe } from 'alcove'
import { App } from './crud.js'

test('the application survives its probe', async () => {
  await probe(App)
})
// #endregion

// #region login
import assert from 'node:assert/strict'
import { Controller, Hook, httpError, Plugin, Post, type Request, type RouteRequest, type TestServer } from 'alcove'

const login = {
  body: { type: 'object', required: ['password'], properties: { password: { type: 'string' } } },
  response: { 200: { type: 'object', required: ['token'], properties: { token: { type: 'string' } } } },
} as const
const add = {
  body: { type: 'object', required: ['title'], properties: { title: { type: 'string', minLength: 1, maxLength: 200 } } },
  response: { 201: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } } },
} as const

class Unauthorized extends httpError(401, {}, { message: 'Log in first' }) {}

class RequireToken {
  static readonly throws = [Unauthorized]

  onRequest({ headers }: Request) {
    if (headers.authorization !== 'Bearer of-ada') throw new Unauthorized()
  }
}

@Controller('/login')
class LoginController {
  @Post({ throws: [Unauthorized] }, login)
  login({ body }: RouteRequest<typeof login>) {
    if (body.password !== 'secret') throw new Unauthorized()
    return { token: 'of-ada' }
  }
}

@Controller('/titles')
@Hook('onRequest', RequireToken)
class TitlesController {
  @Post({ status: 201 }, add)
  add({ body }: RouteRequest<typeof add>) {
    return { title: body.title }
  }
}

@Plugin({ routes: [LoginController, TitlesController] })
class GuardedApp {}

async function authenticate(app: TestServer) {
  const reply = await app.inject({ method: 'POST', url: '/login', payload: { password: 'secret' } })
  return { authorization: `Bearer ${reply.json<{ token: string }>().token}` }
}

test('a logged-in client finds no fault', async () => {
  const { unreached } = await probe(GuardedApp, { authenticate, slowerThan: 500 })
  assert.deepEqual(unreached, [], 'each handler was reached')
})
// #endregion

// #region fault
import { ProbeError } from 'alcove'
import { Notes } from './crud.js'

class ForgetfulNotes extends Notes {
  override async create(): Promise<never> {
    throw new Error('insert into notes failed')
  }
}

test('a fault is reported with the request that shows it, and with a test', async () => {
  const error = await probe(App, { override: [[Notes, ForgetfulNotes]], routes: ['POST /notes'] }).catch((reason: unknown) => reason)
  assert.ok(error instanceof ProbeError)
  const [finding] = error.report.findings
  assert.equal(finding?.kind, 'failure')
  assert.match(finding.message, /^answers 500: Error: insert into notes failed/)
  assert.match(
    finding.test,
    /await app\.inject\(\{ method: 'POST', url: '\/notes', payload: \{ title: '.+', isDone: (?:true|false) \} \}\)/,
  )
})
// #endregion
