/** Faults of what guards, handlers and plugins say of their replies. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, type Class, Controller, Get, Hook, httpError, Plugin, shared, use, declareReplies } from 'alcove'

@Controller('/')
class Routes {
  @Get()
  list() {}
}

function messagesOf(options: object, statics: object = {}): string[] {
  class App {}
  Object.assign(App, statics)
  Plugin({ routes: [Routes], ...options })(App)
  try {
    check(App)
    return []
  } catch (error) {
    const { faults } = error as { faults: { code: string; message: string }[] }
    assert.deepEqual([...new Set(faults.map(({ code }) => code))], ['DESCRIPTION_INVALID'])
    return faults.map(({ message }) => message)
  }
}

function guard(statics: object): Class {
  class Guard {
    onRequest() {}
  }
  return Object.assign(Guard, statics)
}

const ofGuard = (statics: object): string[] => messagesOf({ hooks: { onRequest: guard(statics) } })

test('correct declared replies are not a fault', () => {
  const security = { bearer: { type: 'http', scheme: 'bearer', 'x-own': 1 }, oauth: { type: 'oauth2', flows: {}, scopes: ['read'] } }
  assert.deepEqual(ofGuard({ responses: { 401: { type: 'null' }, '5XX': {}, default: {} }, security }), [])
})

test('responses by something else than a status, and responses that are undefined, are refused', () => {
  assert.deepEqual(ofGuard({ responses: { 4011: {}, 403: undefined } }), [
    'App > Guard has undefined as the response 403, often because of a circle of imports. Write its schema.',
    "App > Guard has '4011' in responses, which is not a status. Write 401, '4xx' or 'default'.",
  ])
  assert.deepEqual(ofGuard({ responses: [] }), ['App > Guard has responses that are not an object by status. Write responses: { 401: … }.'])
})

test('security schemes that are not complete, of an unknown type or with an unknown key are refused', () => {
  assert.deepEqual(
    ofGuard({ security: { a: { type: 'http' }, b: { type: 'bearer' }, c: { type: 'http', scheme: 'basic', schema: 1 }, d: 1 } }),
    [
      "App > Guard has the security scheme 'a' without 'scheme', which the type http needs. Write it.",
      "App > Guard has the security scheme 'b' of the type 'bearer'. Types are: http, apiKey, oauth2, openIdConnect, mutualTLS.",
      "App > Guard has 'schema' in the security scheme 'c', which has no such key. Did you mean 'scheme'?",
      "App > Guard has the security scheme 'd', which is not an object. Write security: { bearer: { type: 'http', scheme: 'bearer' } }.",
    ],
  )
})

test('a plugin class with static throws is refused, because throws is an option of @Plugin', () => {
  class Gone extends httpError(410) {}
  const cure = 'Write the option throws: @Plugin({ throws: […] }).'
  assert.deepEqual(messagesOf({}, { throws: [Gone] }), [`App has static throws, which nothing reads. ${cure}`])
  assert.deepEqual(messagesOf({}, { throw: [Gone] }), [`App has static throw, which nothing reads. ${cure}`])
  assert.deepEqual(ofGuard({ throws: [Gone] }), [])
})

test('a static member whose name resembles responses, security or throws is refused', () => {
  assert.deepEqual(ofGuard({ response: { 401: {} } }), ['App > Guard has static response, which nothing reads. Write static responses.'])
  assert.deepEqual(ofGuard({ throw: [] }), ['App > Guard has static throw, which nothing reads. Write static throws.'])
})

test('a plugin class, a hook of a route, and a handler are checked at their places', () => {
  assert.deepEqual(messagesOf({}, { security: [] }), [
    "App has a security that is not an object of schemes by name. Write security: { bearer: { type: 'http', scheme: 'bearer' } }.",
  ])
  class Hooked {
    list() {}
  }
  Get()(Hooked.prototype, 'list', Object.getOwnPropertyDescriptor(Hooked.prototype, 'list'))
  Controller('/hooked')(Hooked)
  Hook('onRequest', guard({ responses: { 999: {} } }) as never)(Hooked.prototype, 'list')
  assert.deepEqual(messagesOf({ routes: [Hooked] }), [
    "App > Hooked.list > Guard has '999' in responses, which is not a status. Write 401, '4xx' or 'default'.",
  ])
  class Problems {
    static security = { bearer: { type: 'http', scheme: 'bearer' } }
    errorHandler(error: Error) {
      throw error
    }
  }
  assert.deepEqual(messagesOf({ errorHandler: Problems }), [
    'App > Problems has a security, but a handler of errors lets no request in. Write it in the hook that does.',
  ])
})

test('the third argument of use is checked, and refused for a class', () => {
  const given = (known: object, plugin: unknown = async function jwt() {}): string[] =>
    messagesOf({ imports: [use(plugin as any, {}, known as any)] })
  assert.deepEqual(given({ responses: { x: {} }, docs: { summary: 'a' } }), [
    "App, in the third argument of use(jwt, …), has 'x' in responses, which is not a status. Write 401, '4xx' or 'default'.",
    "App, in the third argument of use(jwt, …), has 'summary' in docs, which is for one route. Write it in docs of the route.",
  ])
  class Other {}
  Plugin()(Other)
  assert.deepEqual(given({ security: {} }, Other), [
    'App, in the third argument of use(Other, …), is a class, which says itself what it answers. Write static responses, static security and the options docs and deprecated there.',
  ])
})

test('a shared plugin is not hidden, because the routes of the importing plugin would be hidden with it', () => {
  const jwt = async function jwt() {}
  const wrapped = Object.assign(async function wrapped() {}, { [Symbol.for('skip-override')]: true })
  const known = { docs: { hide: true } }
  class Hidden {}
  Plugin({ shared: true, docs: { hide: true } })(Hidden)
  const problem =
    'would hide the routes of the importing plugin too, because it is shared. Write docs: { hide: true } in each of its routes, or in the importing plugin.'
  assert.deepEqual(messagesOf({ imports: [use(jwt, {}, known), use(wrapped, {}, known), shared(use(jwt, {}, known)), Hidden] }), [
    `App, in the third argument of use(wrapped, …), ${problem}`,
    `App, in the third argument of use(jwt, …), ${problem}`,
    `App > Hidden ${problem}`,
  ])
})

test('texts are checked on plugins, controllers and routes', () => {
  class Documented {
    list() {}
  }
  Get({ docs: { sumary: 'a', tags: 'users' } as any })(
    Documented.prototype,
    'list',
    Object.getOwnPropertyDescriptor(Documented.prototype, 'list'),
  )
  Controller('/documented', { docs: { operationId: 'x' } as any })(Documented)
  assert.deepEqual(messagesOf({ routes: [Documented], docs: { hide: 1 } }), [
    "App has 'hide' of the wrong kind in docs. tags is a list of texts, hide is true or false, externalDocs is { url }.",
    "App > Documented has 'operationId' in docs, which is for one route. Write it in docs of the route.",
    "App > Documented.list has 'tags' of the wrong kind in docs. tags is a list of texts, hide is true or false, externalDocs is { url }.",
    "App > Documented.list has 'sumary' in docs, which has no such key. Did you mean 'summary'?",
  ])
})

test('declareReplies refuses the same of a function, and returns it', () => {
  const hook = async function hook() {}
  assert.equal(declareReplies(hook, { responses: { 401: {} }, docs: { tags: ['a'] } }), hook)
  assert.throws(() => declareReplies(hook, { respones: {} } as never), {
    code: 'ALC_ERR_SETTING_INVALID',
    message: "declareReplies(hook, …) has 'respones' in the object of declared replies, which has no such key. Did you mean 'responses'?",
  })
  assert.throws(() => declareReplies(hook, undefined as never), /has declared replies that are not an object/)
  assert.throws(() => declareReplies(hook, { docs: { tag: [] } } as never), /Did you mean 'tags'\?$/)
})
