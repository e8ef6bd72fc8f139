/** The differences of two locks, in words: each row changes one fact. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LockChangeKind } from '../../../decorators/lock/change.js'
import { compareLocks } from '../../../decorators/lock/compare-locks.js'
import type { Lock, LockedPlugin, LockedRoute } from '../../../decorators/lock/lock-types.js'

const app: LockedPlugin = {
  path: 'App',
  prefix: '',
  isShared: false,
  gives: [
    { name: 'Db', lifetime: 'context', isPrivate: false },
    { name: 'Key', lifetime: 'context', isPrivate: true },
  ],
  needs: [],
  runs: ['cors'],
  jobs: [],
  routes: [],
}
const list: LockedRoute = {
  methods: ['GET'],
  url: '/users',
  constraints: {},
  handler: 'Users.list',
  lifetime: 'context',
  hooks: [
    { hook: 'onRequest', name: 'Limit', from: 'App' },
    { hook: 'onRequest', name: 'RequireUser', from: 'App > Admin' },
    { hook: 'preHandler', name: 'Roles', from: 'route' },
    { hook: 'onResponse', name: 'Audit', from: 'App' },
  ],
  security: [{ bearer: [] }],
  input: { querystring: '000000000001' },
  replies: { 200: '000000000002', 409: 'undeclared' },
  limits: { handlerTimeout: 1000 },
}
const save: LockedRoute = {
  ...list,
  methods: ['POST', 'PUT'],
  handler: 'Users.save',
  hooks: [],
  security: [],
  input: { body: '000000000003', params: 'opaque' },
  limits: { bodyLimit: 1024 },
}
const admin: LockedPlugin = {
  path: 'App > Admin',
  prefix: '/admin',
  isShared: false,
  gives: [{ name: 'Repo', lifetime: 'context', isPrivate: false }],
  needs: [
    { name: 'Db', provider: { lifetime: 'context', from: 'App' } },
    { name: 'Metrics', provider: undefined },
  ],
  runs: [],
  notFound: 'Missing',
  jobs: [
    { name: 'SendMail', lifetime: 'context', kind: 'queue', when: 'mails', input: '000000000004' },
    { name: 'CleanUp', lifetime: 'request', kind: 'cron', when: '0 3 * * *' },
  ],
  routes: [list, save],
}
const lock: Lock = { plugins: [app, admin] }

const withApp = (change: Partial<LockedPlugin>): Lock => ({ plugins: [{ ...app, ...change }, admin] })
const withAdmin = (change: Partial<LockedPlugin>): Lock => ({ plugins: [app, { ...admin, ...change }] })
const withList = (change: Partial<LockedRoute>): Lock => withAdmin({ routes: [{ ...list, ...change }, save] })
const withSave = (change: Partial<LockedRoute>): Lock => withAdmin({ routes: [list, { ...save, ...change }] })
const [limit, user, roles, audit] = list.hooks as [
  LockedRoute['hooks'][0],
  LockedRoute['hooks'][0],
  LockedRoute['hooks'][0],
  LockedRoute['hooks'][0],
]

const rows: readonly (readonly [title: string, now: Lock, ...changes: (readonly [kind: LockChangeKind, text: string])[]])[] = [
  ['nothing', structuredClone(lock)],
  [
    'a guard of a context lost',
    withList({ hooks: [limit, roles, audit] }),
    ['hook-lost', 'GET /users lost the guard RequireUser (onRequest) of App > Admin'],
  ],
  [
    'a guard of the route lost',
    withList({ hooks: [limit, user, audit] }),
    ['hook-lost', 'GET /users lost the guard Roles (preHandler) of the route'],
  ],
  [
    'a hook after the reply lost',
    withList({ hooks: [limit, user, roles] }),
    ['hook-lost', 'GET /users lost the hook Audit (onResponse) of App'],
  ],
  [
    'a guard gained',
    withSave({ hooks: [user] }),
    ['hook-gained', 'POST, PUT /users gained the guard RequireUser (onRequest) of App > Admin'],
  ],
  [
    'two guards in another order',
    withList({ hooks: [user, limit, roles, audit] }),
    [
      'hooks-reordered',
      'GET /users runs its hooks in another order: RequireUser, Limit, Roles, Audit (before: Limit, RequireUser, Roles, Audit)',
    ],
  ],
  [
    'a guard in another stage',
    withList({ hooks: [limit, { ...user, hook: 'preHandler' }, roles, audit] }),
    ['hook-lost', 'GET /users lost the guard RequireUser (onRequest) of App > Admin'],
    ['hook-gained', 'GET /users gained the guard RequireUser (preHandler) of App > Admin'],
  ],
  [
    'a guard of another context',
    withList({ hooks: [limit, { ...user, from: 'route' }, roles, audit] }),
    ['hook-moved', 'GET /users gets the guard RequireUser (onRequest) of the route instead of App > Admin'],
  ],
  [
    'one of two equal guards lost',
    withList({ hooks: [limit, user, roles, roles, audit] }),
    ['hook-gained', 'GET /users gained the guard Roles (preHandler) of the route'],
  ],
  ['no security', withList({ security: [] }), ['security-changed', 'GET /users requires nothing instead of bearer']],
  [
    'other security',
    withList({ security: [{ bearer: [], oauth: ['read'] }, {}] }),
    ['security-changed', 'GET /users requires bearer + oauth (read) or none instead of bearer'],
  ],
  ['another query', withList({ input: { querystring: '00000000000f' } }), ['input-changed', 'GET /users query schema changed']],
  ['no query', withList({ input: {} }), ['input-changed', 'GET /users query schema is gone']],
  ['another body', withSave({ input: { ...save.input, body: '00000000000f' } }), ['input-changed', 'POST, PUT /users body schema changed']],
  ['headers', withSave({ input: { ...save.input, headers: '00000000000f' } }), ['input-changed', 'POST, PUT /users headers schema is new']],
  [
    'parameters that are known now',
    withSave({ input: { ...save.input, params: '00000000000f' } }),
    ['input-changed', 'POST, PUT /users path parameters schema is known (before: opaque)'],
  ],
  [
    'a reply less, one more, and another schema',
    withList({ replies: { 200: '00000000000f', 404: '00000000000f' } }),
    ['reply-changed', 'GET /users reply 200 changed'],
    ['reply-changed', 'GET /users reply 409 is gone'],
    ['reply-changed', 'GET /users reply 404 is new'],
  ],
  [
    'a longer timeout',
    withList({ limits: { handlerTimeout: 2000 } }),
    ['limit-changed', 'GET /users has the handler timeout 2000 ms instead of 1000 ms'],
  ],
  ['no body limit', withSave({ limits: {} }), ['limit-changed', 'POST, PUT /users has the body limit none instead of 1024 bytes']],
  ['another handler', withList({ handler: 'Users.all' }), ['handler-changed', 'GET /users is answered by Users.all instead of Users.list']],
  [
    'a request-scoped handler',
    withList({ lifetime: 'request' }),
    ['handler-lifetime-changed', 'GET /users has a handler with the lifetime request instead of context'],
  ],
  [
    'a deprecation',
    withList({ deprecated: { since: '2026-06-30', sunset: '2026-12-31', link: '/changes' } }),
    ['deprecation-changed', 'GET /users is deprecated since 2026-06-30, may be gone from 2026-12-31 on, see /changes'],
  ],
  ['a deprecation without dates', withSave({ deprecated: true }), ['deprecation-changed', 'POST, PUT /users is deprecated without dates']],
  ['a route gone', withAdmin({ routes: [save] }), ['route-removed', 'GET /users is gone (it was answered by App > Admin > Users.list)']],
  ['a method gone', withSave({ methods: ['POST'] }), ['route-removed', 'PUT /users is gone (it was answered by App > Admin > Users.save)']],
  [
    'a route without a guard',
    withAdmin({ routes: [list, save, { ...save, methods: ['GET'], url: '/open' }] }),
    ['route-added', 'GET /open is new (answered by App > Admin > Users.save, without a guard)'],
  ],
  [
    'a route with guards',
    withAdmin({ routes: [list, save, { ...list, url: '/all' }] }),
    ['route-added', 'GET /all is new (answered by App > Admin > Users.list, after Limit, RequireUser, Roles)'],
  ],
  [
    'a further version of a route',
    withAdmin({ routes: [list, save, { ...list, constraints: { version: '2.0.0' } }] }),
    ['route-added', 'GET /users {"version":"2.0.0"} is new (answered by App > Admin > Users.list, after Limit, RequireUser, Roles)'],
  ],
  [
    'a route in another plugin, with the guards of both',
    {
      plugins: [
        { ...app, routes: [{ ...list, hooks: [limit, { ...user, from: 'App' }, roles, audit] }] },
        { ...admin, routes: [save] },
      ],
    },
    ['route-moved', 'GET /users moved from App > Admin to App'],
  ],
  [
    'a route in another plugin, without its guard',
    {
      plugins: [
        { ...app, routes: [{ ...list, hooks: [limit, roles, audit] }] },
        { ...admin, routes: [save] },
      ],
    },
    ['route-moved', 'GET /users moved from App > Admin to App'],
    ['hook-lost', 'GET /users lost the guard RequireUser (onRequest) of App > Admin'],
  ],
  [
    'a plugin with another name',
    {
      plugins: [
        app,
        { ...admin, path: 'App > Desk', routes: [{ ...list, hooks: [limit, { ...user, from: 'App > Desk' }, roles, audit] }, save] },
      ],
    },
    ['route-moved', 'GET /users moved from App > Admin to App > Desk'],
    ['route-moved', 'POST, PUT /users moved from App > Admin to App > Desk'],
    ['plugin-removed', 'App > Admin is no longer a plugin of the application'],
    ['plugin-added', 'App > Desk is a new plugin that gives Repo to the plugins below it'],
  ],
  ['another prefix', withAdmin({ prefix: '' }), ['prefix-changed', 'App > Admin has the prefix none instead of /admin']],
  [
    'a plugin that is shared now',
    withAdmin({ isShared: true }),
    ['sharing-changed', 'App > Admin declares in the context of the plugin that imports it'],
  ],
  ['a provider less', withApp({ gives: app.gives.slice(1) }), ['provider-removed', 'App no longer gives Db']],
  [
    'a provider more',
    withAdmin({ gives: [...admin.gives, { name: 'Mail', lifetime: 'request', isPrivate: true }] }),
    ['provider-added', 'App > Admin gives Mail (private) now, with the lifetime request'],
  ],
  [
    'a provider that each request has for itself',
    withAdmin({ gives: [{ name: 'Repo', lifetime: 'request', isPrivate: false }] }),
    ['provider-lifetime-changed', 'App > Admin gives Repo with the lifetime request instead of context'],
  ],
  [
    'a private provider that all see',
    withApp({ gives: app.gives.map((provider) => ({ ...provider, isPrivate: false })) }),
    ['provider-visibility-changed', 'App shows Key to other plugins, which was private'],
  ],
  [
    'a private provider that all saw',
    withApp({ gives: app.gives.map((provider) => ({ ...provider, isPrivate: true })) }),
    ['provider-visibility-changed', 'App keeps Db private now'],
  ],
  ['a need less', withAdmin({ needs: admin.needs.slice(1) }), ['need-removed', 'App > Admin no longer needs Db']],
  [
    'a need more',
    withAdmin({ needs: [...admin.needs, { name: 'Key', provider: { lifetime: 'context', from: 'App > Keys' } }] }),
    ['need-added', 'App > Admin needs Key of App > Keys (context) now'],
  ],
  [
    'a provider that is shadowed',
    withAdmin({ needs: [{ name: 'Db', provider: { lifetime: 'context', from: 'App > Test' } }, admin.needs[1]!] }),
    ['need-changed', 'App > Admin gets Db of App > Test (context) instead of App (context)'],
  ],
  [
    'an optional provider that is there now',
    withAdmin({ needs: [admin.needs[0]!, { name: 'Metrics', provider: { lifetime: 'context', from: 'App' } }] }),
    ['need-changed', 'App > Admin gets Metrics of App (context) instead of nothing'],
  ],
  [
    'a setup method',
    withAdmin({ runs: ['setup'] }),
    ['boot-code-added', 'App > Admin runs setup at boot now, which may add routes and hooks'],
  ],
  ['a plugin function less', withApp({ runs: [] }), ['boot-code-removed', 'App no longer runs cors at boot']],
  [
    'another handler for unknown paths',
    withAdmin({ notFound: 'Proxy' }),
    ['not-found-handler-changed', 'App > Admin answers unknown paths by Proxy instead of Missing'],
  ],
  [
    'a job that is gone, and a new one',
    withAdmin({ jobs: [admin.jobs[0]!, { name: 'Poll', lifetime: 'context', kind: 'every', when: '500 ms' }] }),
    ['job-removed', 'App > Admin no longer has the job CleanUp (cron 0 3 * * *)'],
    ['job-added', 'App > Admin has the job Poll (every 500 ms) now'],
  ],
  [
    'another time, lifetime and input of a job',
    withAdmin({
      jobs: [
        { ...admin.jobs[0]!, input: '000000000005' },
        { ...admin.jobs[1]!, when: '0 4 * * *', lifetime: 'context' },
      ],
    }),
    ['job-changed', 'App > Admin has another schema for the input of the job SendMail'],
    ['job-changed', 'App > Admin does the job CleanUp by cron 0 4 * * * instead of cron 0 3 * * *'],
    ['job-changed', 'App > Admin has context-scoped instances of the job CleanUp instead of request-scoped ones'],
  ],
]

for (const [title, now, ...changes] of rows) {
  test(`says in words: ${title}`, () => {
    const found = compareLocks(lock, now)
    assert.deepEqual(
      found.map(({ kind, text }) => [kind, text]),
      changes,
    )
    for (const { of, what, text } of found) assert.equal(text, `${of} ${what}`)
  })
}

test('a change of a route has the place of the class that answers it, a change of a plugin its path', () => {
  const [ofRoute, ofPlugin] = compareLocks(lock, withAdmin({ prefix: '/x', routes: [{ ...list, security: [] }, save] }))
  assert.deepEqual([ofRoute?.place, ofPlugin?.place], ['App > Admin > Users.list', 'App > Admin'])
})

test('each plugin that is imported twice is compared with the one of its prefix', () => {
  const [one, other] = [
    { ...admin, routes: [list] },
    { ...admin, prefix: '/other', routes: [{ ...list, url: '/other' }] },
  ]
  const changed = { ...other, gives: [] }
  assert.deepEqual(
    compareLocks({ plugins: [one, other] }, { plugins: [changed, one] }).map(({ text }) => text),
    ['App > Admin no longer gives Repo'],
  )
})

test('a deprecation that ends, and one with other dates', () => {
  const deprecated = (dates: LockedRoute['deprecated']): Lock => withList(dates === undefined ? {} : { deprecated: dates })
  const textsOf = (old: LockedRoute['deprecated'], now: LockedRoute['deprecated']): string[] =>
    compareLocks(deprecated(old), deprecated(now)).map(({ text }) => text)
  assert.deepEqual(textsOf(true, undefined), ['GET /users is no longer deprecated'])
  assert.deepEqual(textsOf({ since: '2026-06-30', sunset: '2026-12-31' }, { since: '2026-06-30', sunset: '2027-12-31' }), [
    'GET /users is deprecated since 2026-06-30, may be gone from 2027-12-31 on (before: since 2026-06-30, may be gone from 2026-12-31 on)',
  ])
  assert.deepEqual(textsOf(true, { since: '2026-06-30' }), ['GET /users is deprecated since 2026-06-30 (before: without dates)'])
  assert.deepEqual(textsOf({ since: '2026-06-30' }, { since: '2026-06-30' }), [])
})
