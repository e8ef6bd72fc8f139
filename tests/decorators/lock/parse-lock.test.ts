/** The text of alcove.lock: what is written is read back, and everything else is refused with its line. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lock, LockedPlugin, LockedRoute } from '../../../decorators/lock/lock-types.js'
import { LockError, parseLock } from '../../../decorators/lock/parse-lock.js'
import { writeLock } from '../../../decorators/lock/write-lock.js'

const route: LockedRoute = {
  methods: ['GET'],
  url: '/users/:id',
  constraints: {},
  handler: 'Users.find',
  lifetime: 'context',
  hooks: [
    { hook: 'onRequest', name: 'RequireUser', from: 'App' },
    { hook: 'preHandler', name: 'Roles', from: 'route' },
  ],
  security: [{ bearer: [], oauth: ['read', 'write'] }, { key: [] }],
  input: { params: '0123456789ab', body: 'opaque' },
  replies: { 200: '0123456789ab', 409: 'undeclared' },
  limits: { bodyLimit: 1024, handlerTimeout: 60_000 },
}
const jobs: LockedPlugin['jobs'] = [
  { name: 'SendMail', lifetime: 'context', kind: 'queue', when: 'mails', input: '0123456789ab' },
  { name: 'CleanUp', lifetime: 'request', kind: 'cron', when: '0 3 * * * Europe/Berlin' },
]
const plugin: LockedPlugin = {
  path: 'App > Users',
  prefix: '/users',
  isShared: true,
  gives: [
    { name: 'Repo', lifetime: 'context', isPrivate: false },
    { name: "'db'", lifetime: 'request', isPrivate: true },
  ],
  needs: [
    { name: 'Db', provider: { lifetime: 'transient', from: 'App > Data' } },
    { name: 'Metrics', provider: undefined },
  ],
  runs: ['setup', 'cors'],
  notFound: 'Missing',
  jobs: [],
  routes: [route],
}

test('a lock is a block for each plugin, with a line for each fact', () => {
  assert.deepEqual(
    writeLock({ plugins: [{ ...plugin, path: 'App', prefix: '', isShared: false, jobs, routes: [] }, plugin] }).split('\n'),
    [
      'alcove lock 1',
      '# Written by "alcove lock": the plugins, routes, hooks and providers of the application. Read its changes as you read code.',
      '',
      'plugin App',
      '  gives Repo, context',
      "  gives 'db', request, private",
      '  needs Db, transient, of App > Data',
      '  needs Metrics, nothing',
      '  runs setup',
      '  runs cors',
      '  notFound Missing',
      '  job SendMail, context, queue mails, input 0123456789ab',
      '  job CleanUp, request, cron "0 3 * * * Europe/Berlin"',
      '',
      'plugin App > Users',
      '  prefix /users',
      '  shared',
      '  gives Repo, context',
      "  gives 'db', request, private",
      '  needs Db, transient, of App > Data',
      '  needs Metrics, nothing',
      '  runs setup',
      '  runs cors',
      '  notFound Missing',
      '  route GET /users/:id',
      '    handler Users.find, context',
      '    hooks onRequest RequireUser (App), preHandler Roles (route)',
      '    security bearer + oauth (read write), key',
      '    input params 0123456789ab, body opaque',
      '    replies 200 0123456789ab, 409 undeclared',
      '    limits bodyLimit 1024, handlerTimeout 60000',
      '',
    ],
  )
})

test('what is written is read back, also with the line ends of Windows', () => {
  const lock = { plugins: [plugin] }
  assert.deepEqual(parseLock(writeLock(lock)), lock)
  assert.deepEqual(parseLock(writeLock(lock).replaceAll('\n', '\r\n')), lock)
  assert.deepEqual(parseLock(writeLock({ plugins: [] })), { plugins: [] })
})

test('a deprecated route has a line with its dates and its page', () => {
  for (const [deprecated, line] of [
    [true, 'deprecated'],
    [{ since: '2026-06-30' }, 'deprecated since 2026-06-30'],
    [
      { since: '2026-06-30T18:00:00Z', sunset: '2026-12-31', link: 'https://example.com/a(b),c#d' },
      'deprecated since 2026-06-30T18:00:00Z, sunset 2026-12-31, link "https://example.com/a(b),c#d"',
    ],
  ] as const) {
    const lock = { plugins: [{ ...plugin, routes: [{ ...route, deprecated }] }] }
    assert.deepEqual(writeLock(lock).split('\n').slice(14, 17), [
      '    handler Users.find, context',
      `    ${line}`,
      '    hooks onRequest RequireUser (App), preHandler Roles (route)',
    ])
    assert.deepEqual(parseLock(writeLock(lock)), lock)
  }
})

// Names come from code: a plugin, a hook function and a token may have any text as its name.
const hostile = [
  '',
  ' ',
  ',',
  '(',
  ')',
  '"',
  '\\',
  '\n',
  '\r\n',
  '#',
  '>',
  ' > ',
  '+',
  'of',
  'none',
  'nothing',
  'plugin',
  'route',
  'private',
  'a b',
  'bound x',
  '__proto__',
  'constructor',
  '\u2028',
  '\u0000',
  '\ud800',
  'é',
  '<<<<<<<',
  'a > b',
  '"a"',
  'App,',
  '(App)',
  '/:id(^\\d+$)',
  '*',
]

test('names with any characters are read back', () => {
  let seed = 1
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const name = (): string => (random() < 0.3 ? 'Plain' : hostile[Math.floor(random() * hostile.length)]! + (random() < 0.3 ? 'x' : ''))
  const path = (): string => Array.from({ length: 1 + Math.floor(random() * 3) }, () => name()).join(' > ')
  const many = <T>(make: () => T): T[] => Array.from({ length: Math.floor(random() * 4) }, make)
  const record = <T>(make: () => T): Record<string, T> => Object.fromEntries(many(() => [name(), make()]))
  const digest = (): string => ['0123456789ab', 'opaque', 'undeclared'][Math.floor(random() * 3)]!
  for (let round = 0; round < 500; round++) {
    let number = 0
    const routes = many((): LockedRoute => ({
      ...route,
      methods: [`M${number++}`, name() || 'GET'].slice(0, 1 + Math.floor(random() * 2)),
      url: name(),
      constraints: record(name),
      handler: name() || 'handler',
      lifetime: 'request',
      ...(random() < 0.5 && { deprecated: random() < 0.5 || { since: '2026-06-30', link: '/changes,of#(a)' } }),
      hooks: many(() => ({ hook: name(), name: name(), from: path() })),
      security: many(() => record(() => many(name))),
      input: record(digest),
      replies: record(digest),
      limits: record(() => Math.floor(random() * 1e6)),
    }))
    const lock: Lock = {
      plugins: [
        {
          path: path(),
          prefix: name(),
          isShared: random() < 0.5,
          gives: many(() => ({ name: name(), lifetime: 'transient' as const, isPrivate: random() < 0.5 })),
          needs: many(() => ({ name: name(), provider: random() < 0.5 ? undefined : { lifetime: 'request' as const, from: path() } })),
          runs: many(name),
          jobs: many(() => ({
            name: name(),
            lifetime: 'request' as const,
            kind: 'queue' as const,
            when: name(),
            ...(random() < 0.5 && { input: digest() }),
          })),
          routes,
        },
      ],
    }
    const text = writeLock(lock)
    assert.deepEqual(parseLock(text), lock, text)
  }
})

const text = writeLock({ plugins: [plugin] })
const lines = text.split('\n')

/** Returns the text of the lock with another line instead of one that begins with these words. */
const withLine = (start: string, line: string): string => lines.map((each) => (each.trim().startsWith(start) ? line : each)).join('\n')

const corrupt: readonly [title: string, text: string, line: number, problem: RegExp][] = [
  ['an empty file', '', 1, /is not 'alcove lock 1', so this is not a file of alcove lock/],
  ['another file', '{}', 1, /is not 'alcove lock 1'/],
  ['a later version', withLine('alcove lock', 'alcove lock 2'), 1, /this version of alcove reads 'alcove lock 1'/],
  ['a conflict of a merge', withLine('prefix', '<<<<<<< HEAD'), 5, /is a conflict of a merge: write the file again/],
  ['an unknown keyword', withLine('prefix', '  prefx /users'), 5, /is not a line of alcove lock: prefx \/users/],
  ['a keyword of Object.prototype', withLine('prefix', '  constructor /users'), 5, /is not a line of alcove lock/],
  ['a keyword in quotes', withLine('prefix', '  "prefix\\u0020" /users'), 5, /is not a line/],
  ['a fact before the first plugin', `${lines[0]}\n  gives A, context`, 2, /stands before the first plugin/],
  ['a route before the first plugin', `${lines[0]}\n  route GET /`, 2, /has a route before the first plugin/],
  ['a fact of a plugin below a route', withLine('handler', '  gives A, context'), 15, /is not a line/],
  ['a repeated fact', withLine('shared', '  prefix /users'), 6, /repeats 'prefix'/],
  ['a plugin without a path', withLine('plugin', 'plugin'), 4, /is not a line/],
  ['a path that ends early', withLine('plugin', 'plugin App >'), 4, /is not a line/],
  ['a prefix of two words', withLine('prefix', '  prefix /a /b'), 5, /is not a line/],
  ['a word after shared', withLine('shared', '  shared yes'), 6, /is not a line/],
  ['an unknown lifetime', withLine('gives Repo', '  gives Repo, forever'), 7, /is not a line/],
  ['a lifetime left out', withLine('gives Repo', '  gives Repo'), 7, /is not a line/],
  ['another mark than private', withLine('gives Repo', '  gives Repo, context, public'), 7, /is not a line/],
  ['a need without its plugin', withLine('needs Db', '  needs Db, transient'), 9, /is not a line/],
  ['a need of a plugin without of', withLine('needs Db', '  needs Db, transient, App'), 9, /is not a line/],
  ['a need of nothing with a plugin', withLine('needs Metrics', '  needs Metrics, nothing, of App'), 10, /is not a line/],
  ['a route without a method', withLine('route', '  route /users/:id'), 14, /is not a line/],
  ['a route with a comma', withLine('route', '  route GET, POST /users/:id'), 14, /is not a line/],
  ['a route without a handler', withLine('handler', ''), 21, /ends the route \/users\/:id, which has no handler/],
  ['a handler that is transient', withLine('handler', '    handler Users.find, transient'), 15, /is not a line/],
  ['a hook without its context', withLine('hooks', '    hooks onRequest RequireUser'), 16, /is not a line/],
  ['a hook whose bracket is open', withLine('hooks', '    hooks onRequest RequireUser (App'), 16, /is not a line/],
  ['a hook after a comma that is missing', withLine('hooks', '    hooks onRequest A (App), '), 16, /is not a line/],
  ['a security scheme twice', withLine('security', '    security a + a'), 17, /is not a line/],
  ['scopes without an end', withLine('security', '    security oauth (read'), 17, /is not a line/],
  ['a scheme after none', withLine('security', '    security none + a'), 17, /is not a line/],
  ['two schemes without a sign', withLine('security', '    security a b'), 17, /is not a line/],
  ['a deprecation without its beginning', withLine('security', '    deprecated sunset 2026-12-31'), 17, /is not a line/],
  ['a deprecation with a day that does not exist', withLine('security', '    deprecated since 2026-02-30'), 17, /is not a line/],
  ['a deprecation with another word', withLine('security', '    deprecated since 2026-02-03, until 2026-12-31'), 17, /is not a line/],
  ['a deprecation with a date twice', withLine('security', '    deprecated since 2026-02-03, since 2026-02-03'), 17, /is not a line/],
  ['a digest that is too short', withLine('input', '    input params 0123'), 18, /is not a line/],
  ['a part twice', withLine('input', '    input params opaque, params opaque'), 18, /is not a line/],
  ['a limit that is no number', withLine('limits', '    limits bodyLimit -1'), 20, /is not a line/],
  ['a name whose quote is open', withLine('prefix', '  prefix "/users'), 5, /is not a line/],
  ['a name with an escape that JSON lacks', withLine('prefix', '  prefix "\\x"'), 5, /is not a line/],
  ['a route twice', `${text}${lines.slice(13).join('\n')}`, 28, /ends the route GET \/users\/:id, which is there twice/],
]

for (const [title, given, line, problem] of corrupt) {
  test(`refuses ${title}, with the number of the line`, () => {
    assert.throws(
      () => parseLock(given),
      (error) => {
        assert.ok(error instanceof LockError)
        assert.deepEqual([error.line, error.message.startsWith(`line ${line} `)], [line, true], error.message)
        assert.match(error.message, problem)
        return true
      },
    )
  })
}
