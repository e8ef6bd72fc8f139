/** Every operation over HTTP: its successful answer and every error that it documents. */
import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import type { TestServer } from 'alcove'
import { startConduit } from './conduit.js'

let app: TestServer
let address: string
/** The queries that were sent. */
const queries: string[] = []
before(async () => {
  const note = (line: string): void => {
    const { sql } = JSON.parse(line) as { sql?: string }
    if (sql !== undefined) queries.push(sql)
  }
  const stream = new Writable({ write: (line, _encoding, done) => (note(String(line)), done()) })
  app = await startConduit({}, { logger: { level: 'debug', stream } })
  address = await app.server.listen({ port: 0 })
})
after(() => app.close())

interface Answer {
  status: number
  body: any
  headers: Headers
}
/** Which statuses every operation has answered. */
const seen = new Map<string, Set<number>>()

async function ask(method: string, path: string, { token, body, headers = {} }: Ask = {}): Promise<Answer> {
  const response = await fetch(`${address}/api${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Token ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const operation = `${method.toLowerCase()} ${declaredPath(path)}`
  seen.set(operation, (seen.get(operation) ?? new Set()).add(response.status))
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers }
}
interface Ask {
  token?: string
  body?: unknown
  headers?: Record<string, string>
}

function declaredPath(path: string): string {
  return path
    .replace(/\?.*/, '')
    .replace(/^\/profiles\/[^/]+/, '/profiles/{username}')
    .replace(/^\/articles\/(?!feed$)[^/]+/, '/articles/{slug}')
    .replace(/comments\/.+/, 'comments/{id}')
}

let count = 0
/** A new user. */
async function register(): Promise<{ username: string; email: string; token: string }> {
  const username = `user${++count}`
  const { body } = await ask('POST', '/users', { body: { user: { username, email: `${username}@example.com`, password: 'secret' } } })
  return body.user
}
async function publish(token: string, article: object = {}): Promise<any> {
  const { status, body } = await ask('POST', '/articles', {
    token,
    body: { article: { title: `Title ${++count}`, description: 'About', body: 'Text', ...article } },
  })
  assert.equal(status, 201)
  return body.article
}
const refused = async (answer: Promise<Answer>, status: number, errors: object): Promise<void> => {
  const { status: given, body } = await answer
  assert.deepEqual({ status: given, body }, { status, body: { errors } })
}
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('registration and login', () => {
  test('a new user gets a token, and no bio or image', async () => {
    const user = { username: 'ada', email: 'Ada@example.com', password: 'secret' }
    const { status, body } = await ask('POST', '/users', { body: { user } })
    assert.equal(status, 201)
    const { token, ...rest } = body.user
    assert.deepEqual(rest, { username: 'ada', email: 'Ada@example.com', bio: null, image: null })
    assert.equal((await ask('GET', '/user', { token })).body.user.username, 'ada')
    const login = await ask('POST', '/users/login', { body: { user: { email: 'ada@example.com', password: 'secret' } } })
    assert.deepEqual([login.status, login.body.user.email], [200, 'Ada@example.com'])
  })

  test('a name or an address that is taken is refused', async () => {
    const { username, email } = await register()
    const user = { username: `other${++count}`, email: `other${count}@example.com`, password: 'secret' }
    await refused(ask('POST', '/users', { body: { user: { ...user, username } } }), 422, { username: ['has already been taken'] })
    await refused(ask('POST', '/users', { body: { user: { ...user, email: email.toUpperCase() } } }), 422, {
      email: ['has already been taken'],
    })
  })

  test('of many who want a name at once, one gets it', async () => {
    const attempts = Array.from({ length: 8 }, (_, index) =>
      ask('POST', '/users', { body: { user: { username: 'wanted', email: `wanted${index}@example.com`, password: 'secret' } } }),
    )
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    assert.deepEqual([statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 422).length], [1, 7])
  })

  test('all that is missing, blank or wrong is said at once', async () => {
    const blank = ["can't be blank"]
    await refused(ask('POST', '/users', { body: { user: { username: ' ' } } }), 422, { email: blank, password: blank, username: blank })
    await refused(ask('POST', '/users', { body: { user: { username: 'x', email: 'no address', password: 5 } } }), 422, {
      email: ['is invalid'],
      password: ['must be string'],
    })
    await refused(ask('POST', '/users', { body: {} }), 422, { user: blank })
    await refused(ask('POST', '/users/login', { body: { user: { email: '', password: '' } } }), 422, { email: blank, password: blank })
  })

  test('a wrong password and an unknown address are refused alike', async () => {
    const { email } = await register()
    for (const user of [
      { email, password: 'wrong' },
      { email: 'nobody@example.com', password: 'secret' },
    ])
      await refused(ask('POST', '/users/login', { body: { user } }), 401, { credentials: ['invalid'] })
  })

  test('a stale token does not keep anybody from logging in', async () => {
    const { email } = await register()
    const { status } = await ask('POST', '/users/login', { token: 'stale', body: { user: { email, password: 'secret' } } })
    assert.equal(status, 200)
  })

  test('a body that is no JSON, is none or comes as something else is refused in the same shape', async () => {
    for (const [body, headers, status] of [
      ['{', {}, 422],
      ['', {}, 422],
      ['null', {}, 422],
      ['user=ada', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ] as const) {
      const answer = await ask('POST', '/users', { body, headers })
      assert.deepEqual([answer.status, Object.keys(answer.body)], [status, ['errors']], body)
    }
    assert.ok(seen.get('post /users')!.delete(415))
  })

  test('a character that no text column takes is refused', async () => {
    const user = { username: 'a\0b', email: 'nul@example.com', password: 'secret' }
    await refused(ask('POST', '/users', { body: { user } }), 422, { body: ['contains a character that cannot be stored'] })
  })
})

describe('the current user', () => {
  test('is known by the token, also when it is called Bearer', async () => {
    const { token, username } = await register()
    assert.equal((await ask('GET', '/user', { token })).body.user.username, username)
    assert.equal((await ask('GET', '/user', { headers: { authorization: `Bearer ${token}` } })).status, 200)
  })

  test('is not known without one, or with one that somebody else signed', async () => {
    for (const headers of [{}, { authorization: 'Token' }, { authorization: 'Token null' }, { authorization: 'Basic abc' }] as Record<
      string,
      string
    >[])
      await refused(ask('GET', '/user', { headers }), 401, { token: ['is missing'] })
    await refused(ask('GET', '/user', { token: 'a.b.c' }), 401, { token: ['is invalid'] })
    const forged = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"1"}').toString('base64url')}.`
    await refused(ask('GET', '/user', { token: forged }), 401, { token: ['is invalid'] })
    await refused(ask('PUT', '/user', { body: { user: { bio: '' } } }), 401, { token: ['is missing'] })
  })

  test('changes what is given, and nothing else', async () => {
    const { token, username, email } = await register()
    const update = async (user: object) => (await ask('PUT', '/user', { token, body: { user } })).body.user
    const { token: _token, ...changed } = await update({ bio: 'Writes', image: 'https://example.com/a.png' })
    assert.deepEqual(changed, { username, email, bio: 'Writes', image: 'https://example.com/a.png' })
    assert.equal((await update({ bio: '' })).bio, null)
    assert.equal((await update({ image: null })).image, null)
    assert.equal((await update({})).username, username)
    const renamed = await update({ username: `${username}x`, email: `x${email}` })
    assert.deepEqual([renamed.username, renamed.email], [`${username}x`, `x${email}`])
    assert.equal((await ask('GET', '/user', { token })).body.user.username, `${username}x`)
  })

  test('may change the password', async () => {
    const { token, email } = await register()
    await ask('PUT', '/user', { token, body: { user: { password: 'another' } } })
    assert.equal((await ask('POST', '/users/login', { body: { user: { email, password: 'secret' } } })).status, 401)
    assert.equal((await ask('POST', '/users/login', { body: { user: { email, password: 'another' } } })).status, 200)
  })

  test('keeps a name and an address, and takes none from others', async () => {
    const { username } = await register()
    const { token } = await register()
    for (const user of [{ email: '' }, { username: null }, { email: null }, { username: '' }, { password: '' }])
      assert.equal((await ask('PUT', '/user', { token, body: { user } })).status, 422)
    await refused(ask('PUT', '/user', { token, body: { user: { username } } }), 422, { username: ['has already been taken'] })
  })
})

describe('profiles', () => {
  test('are followed and unfollowed, twice is once', async () => {
    const { token } = await register()
    const { username } = await register()
    const profile = { username, bio: null, image: null }
    for (const [method, following] of [
      ['POST', true],
      ['POST', true],
      ['DELETE', false],
      ['DELETE', false],
    ] as const) {
      const { status, body } = await ask(method, `/profiles/${username}/follow`, { token })
      assert.deepEqual([status, body], [200, { profile: { ...profile, following } }])
      assert.equal((await ask('GET', `/profiles/${username}`, { token })).body.profile.following, following)
      assert.equal((await ask('GET', `/profiles/${username}`)).body.profile.following, false)
    }
  })

  test('of nobody are not found; following needs a token; a wrong token is refused to visitors too', async () => {
    const { token, username } = await register()
    for (const [method, path] of [
      ['GET', '/profiles/nobody'],
      ['POST', '/profiles/nobody/follow'],
      ['DELETE', '/profiles/nobody/follow'],
    ] as const) {
      await refused(ask(method, path, { token }), 404, { profile: ['not found'] })
      await refused(ask(method, path.replace('nobody', 'a%00b'), { token }), 422, { body: ['contains a character that cannot be stored'] })
      if (method !== 'GET') await refused(ask(method, path), 401, { token: ['is missing'] })
    }
    await refused(ask('GET', `/profiles/${username}`, { token: 'wrong' }), 401, { token: ['is invalid'] })
  })
})

describe('articles', () => {
  test('are published, with their tags sorted and each one once', async () => {
    const { token, username } = await register()
    const article = await publish(token, { title: 'Über Räume & Nischen', tagList: ['z', 'a', 'z'] })
    const { createdAt, updatedAt, ...rest } = article
    assert.match(createdAt, isoTime)
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(rest, {
      slug: 'ueber-raeume-and-nischen',
      title: 'Über Räume & Nischen',
      description: 'About',
      body: 'Text',
      tagList: ['a', 'z'],
      favorited: false,
      favoritesCount: 0,
      author: { username, bio: null, image: null, following: false },
    })
    const { status, body } = await ask('GET', `/articles/${article.slug}`)
    assert.deepEqual([status, body], [200, { article }])
  })

  test('of one title have slugs of their own, also when they are written at once; none hides another route', async () => {
    const { token } = await register()
    const slugs = (await Promise.all(Array.from({ length: 5 }, () => publish(token, { title: 'The same' })))).map(({ slug }) => slug)
    assert.equal(new Set(slugs).size, 5)
    const { slug } = await publish(token, { title: 'Feed' })
    assert.match(slug, /^feed-/)
    assert.equal((await ask('GET', `/articles/${(await publish(token, { title: '???' })).slug}`)).status, 200)
  })

  test('are changed by their author: what is given; a new title brings a new slug', async () => {
    const { token } = await register()
    const article = await publish(token, { tagList: ['a', 'b'] })
    const update = async (slug: string, changes: object) =>
      (await ask('PUT', `/articles/${slug}`, { token, body: { article: changes } })).body.article
    const changed = await update(article.slug, { body: 'Other text' })
    assert.deepEqual(changed, { ...article, body: 'Other text', updatedAt: changed.updatedAt })
    assert.ok(changed.updatedAt > article.updatedAt)
    assert.deepEqual((await update(article.slug, { tagList: ['d', 'c'] })).tagList, ['c', 'd'])
    assert.deepEqual((await update(article.slug, { tagList: [] })).tagList, [])
    assert.equal((await update(article.slug, { title: article.title })).slug, article.slug)
    const renamed = await update(article.slug, { title: `Renamed ${count}` })
    assert.equal(renamed.slug, `renamed-${count}`)
    assert.equal((await ask('GET', `/articles/${article.slug}`)).status, 404)
  })

  test('are refused without title, description or body, and with tags that are none', async () => {
    const { token } = await register()
    const blank = ["can't be blank"]
    await refused(ask('POST', '/articles', { token, body: { article: { title: '', description: '', body: '' } } }), 422, {
      title: blank,
      description: blank,
      body: blank,
    })
    const { slug } = await publish(token)
    await refused(ask('PUT', `/articles/${slug}`, { token, body: { article: { tagList: null } } }), 422, { tagList: ['must be array'] })
    await refused(ask('PUT', `/articles/${slug}`, { token, body: { article: { title: '' } } }), 422, { title: blank })
  })

  test('belong to their author', async () => {
    const { slug } = await publish((await register()).token)
    const { token } = await register()
    await refused(ask('PUT', `/articles/${slug}`, { token, body: { article: { body: 'Mine' } } }), 403, { article: ['forbidden'] })
    await refused(ask('DELETE', `/articles/${slug}`, { token }), 403, { article: ['forbidden'] })
  })

  test('are deleted with what belongs to them', async () => {
    const { token } = await register()
    const { slug } = await publish(token, { tagList: ['gone'] })
    await ask('POST', `/articles/${slug}/comments`, { token, body: { comment: { body: 'Gone too' } } })
    await ask('POST', `/articles/${slug}/favorite`, { token })
    const { status, body } = await ask('DELETE', `/articles/${slug}`, { token })
    assert.deepEqual([status, body], [204, undefined])
    assert.equal((await ask('GET', `/articles/${slug}`)).status, 404)
    assert.ok(!(await ask('GET', '/tags')).body.tags.includes('gone'))
  })

  test('that do not exist are not found; writing needs a token', async () => {
    const { token } = await register()
    const writing = { body: { article: { body: 'Text' } } }
    for (const [method, path, given] of [
      ['GET', '/articles/none', {}],
      ['PUT', '/articles/none', writing],
      ['DELETE', '/articles/none', {}],
      ['POST', '/articles/none/favorite', {}],
      ['DELETE', '/articles/none/favorite', {}],
      ['GET', '/articles/none/comments', {}],
      ['POST', '/articles/none/comments', { body: { comment: { body: 'Text' } } }],
      ['DELETE', '/articles/none/comments/1', {}],
    ] as const) {
      await refused(ask(method, path, { ...given, token }), 404, { article: ['not found'] })
      await refused(ask(method, path, { ...given, token: 'wrong' }), 401, { token: ['is invalid'] })
      const unstorable = ask(method, path.replace('none', '%00'), { ...given, token })
      await refused(unstorable, 422, { body: ['contains a character that cannot be stored'] })
      if (method !== 'GET') await refused(ask(method, path, given), 401, { token: ['is missing'] })
    }
    await refused(ask('POST', '/articles', { body: { article: {} } }), 401, { token: ['is missing'] })
  })
})

describe('lists of articles', () => {
  test('have the newest first, without bodies, by page, and count them all', async () => {
    const { token, username } = await register()
    const slugs: string[] = []
    for (let index = 0; index < 3; index += 1) slugs.unshift((await publish(token)).slug)
    const list = async (query: string) => (await ask('GET', `/articles?author=${username}${query}`)).body
    const all = await list('')
    assert.deepEqual([all.articles.map(({ slug }: any) => slug), all.articlesCount], [slugs, 3])
    assert.ok(!('body' in all.articles[0]))
    const second = await list('&limit=1&offset=1')
    assert.deepEqual([second.articles.map(({ slug }: any) => slug), second.articlesCount], [[slugs[1]], 3])
    const beyond = await list('&offset=9')
    assert.deepEqual(beyond, { articles: [], articlesCount: 3 })
  })

  test('have twenty articles unless more are asked for', async () => {
    const { token, username } = await register()
    await Promise.all(Array.from({ length: 21 }, () => publish(token)))
    assert.equal((await ask('GET', `/articles?author=${username}`)).body.articles.length, 20)
    assert.equal((await ask('GET', `/articles?author=${username}&limit=50`)).body.articles.length, 21)
  })

  test('take as many queries, however long they are', async () => {
    const { token, username } = await register()
    const { token: reader } = await register()
    const countQueries = async (path: string) => {
      queries.length = 0
      await ask('GET', path, { token: reader })
      return queries.length
    }
    await ask('POST', `/profiles/${username}/follow`, { token: reader })
    for (let index = 0; index < 5; index += 1) await publish(token, { tagList: ['a', 'b'] })
    // The user, the page and the count.
    for (const path of ['/articles?', `/articles?author=${username}&`, '/articles/feed?'])
      for (const limit of [1, 5]) assert.equal(await countQueries(`${path}limit=${limit}`), 3, path)
  })

  test('are filtered by tag, author and who likes them', async () => {
    const { token, username } = await register()
    const { slug } = await publish(token, { tagList: ['rare', 'other'] })
    await publish(token)
    const fan = await register()
    await ask('POST', `/articles/${slug}/favorite`, { token: fan.token })
    for (const filter of ['tag=rare', `favorited=${fan.username}`, `author=${username}&tag=rare`, `tag=rare&author=&favorited=`]) {
      const { body } = await ask('GET', `/articles?${filter}`)
      assert.deepEqual([body.articles.map((article: any) => article.slug), body.articlesCount], [[slug], 1], filter)
      assert.deepEqual(body.articles[0].tagList, ['other', 'rare'])
    }
    assert.deepEqual((await ask('GET', '/articles?author=nobody')).body, { articles: [], articlesCount: 0 })
    const { body } = await ask('GET', `/articles?tag=rare`, { token: fan.token })
    assert.deepEqual([body.articles[0].favorited, body.articles[0].favoritesCount], [true, 1])
  })

  test('of those whom one follows are the feed', async () => {
    const { token } = await register()
    assert.deepEqual((await ask('GET', '/articles/feed', { token })).body, { articles: [], articlesCount: 0 })
    const author = await register()
    const first = await publish(author.token)
    const second = await publish(author.token)
    await ask('POST', `/profiles/${author.username}/follow`, { token })
    const { body } = await ask('GET', '/articles/feed', { token })
    assert.deepEqual([body.articles.map(({ slug }: any) => slug), body.articlesCount], [[second.slug, first.slug], 2])
    assert.equal(body.articles[0].author.following, true)
    const page = (await ask('GET', '/articles/feed?limit=1&offset=1', { token })).body
    assert.deepEqual([page.articles[0].slug, page.articlesCount], [first.slug, 2])
    await refused(ask('GET', '/articles/feed'), 401, { token: ['is missing'] })
  })

  test('have pages of numbers that make sense', async () => {
    const { token } = await register()
    for (const path of ['/articles', '/articles/feed'])
      for (const query of ['limit=0', 'limit=x', 'offset=-1', 'offset=1e400', 'limit=99999999999'])
        assert.equal((await ask('GET', `${path}?${query}`, { token })).status, 422, query)
    await refused(ask('GET', '/articles', { token: 'wrong' }), 401, { token: ['is invalid'] })
  })
})

describe('favorites', () => {
  test('are made and taken back, twice is once', async () => {
    const { slug } = await publish((await register()).token)
    const { token } = await register()
    for (const [method, favorited] of [
      ['POST', true],
      ['POST', true],
      ['DELETE', false],
      ['DELETE', false],
    ] as const) {
      // Some clients send a content type and no body.
      const { status, body } = await ask(method, `/articles/${slug}/favorite`, { token, headers: { 'content-type': 'application/json' } })
      assert.deepEqual([status, body.article.favorited, body.article.favoritesCount], [200, favorited, favorited ? 1 : 0])
      assert.equal((await ask('GET', `/articles/${slug}`)).body.article.favoritesCount, favorited ? 1 : 0)
    }
  })

  test('of many at once are all counted', async () => {
    const { slug } = await publish((await register()).token)
    const fans = await Promise.all(Array.from({ length: 6 }, register))
    await Promise.all(fans.flatMap(({ token }) => [1, 2].map(() => ask('POST', `/articles/${slug}/favorite`, { token }))))
    assert.equal((await ask('GET', `/articles/${slug}`)).body.article.favoritesCount, 6)
  })
})

describe('comments', () => {
  test('are written, listed and deleted', async () => {
    const author = await register()
    const { slug } = await publish(author.token)
    const { token, username } = await register()
    const { status, body } = await ask('POST', `/articles/${slug}/comments`, { token, body: { comment: { body: 'Well said' } } })
    assert.equal(status, 200)
    const { id, createdAt, updatedAt, ...rest } = body.comment
    assert.ok(Number.isInteger(id))
    assert.match(createdAt, isoTime)
    assert.match(updatedAt, isoTime)
    assert.deepEqual(rest, { body: 'Well said', author: { username, bio: null, image: null, following: false } })

    await ask('POST', `/profiles/${username}/follow`, { token: author.token })
    const list = async (token?: string) =>
      (await ask('GET', `/articles/${slug}/comments`, token === undefined ? {} : { token })).body.comments
    assert.deepEqual(await list(), [body.comment])
    assert.equal((await list(author.token))[0].author.following, true)

    await refused(ask('DELETE', `/articles/${slug}/comments/${id}`, { token: author.token }), 403, { comment: ['forbidden'] })
    assert.equal((await ask('DELETE', `/articles/${slug}/comments/${id}`, { token })).status, 204)
    assert.deepEqual(await list(), [])
    await refused(ask('DELETE', `/articles/${slug}/comments/${id}`, { token }), 404, { comment: ['not found'] })
    await refused(ask('DELETE', `/articles/${slug}/comments/x`, { token }), 422, { id: ['must be integer'] })
    await refused(ask('POST', `/articles/${slug}/comments`, { token, body: { comment: { body: '' } } }), 422, { body: ["can't be blank"] })
  })

  test('of one article are not deleted through another', async () => {
    const { token } = await register()
    const [one, other] = [await publish(token), await publish(token)]
    const { body } = await ask('POST', `/articles/${one.slug}/comments`, { token, body: { comment: { body: 'Here' } } })
    await refused(ask('DELETE', `/articles/${other.slug}/comments/${body.comment.id}`, { token }), 404, { comment: ['not found'] })
  })
})

test('tags are those of all articles', async () => {
  await publish((await register()).token, { tagList: ['one-tag', 'two-tags'] })
  const { status, body } = await ask('GET', '/tags')
  assert.equal(status, 200)
  assert.ok(['one-tag', 'two-tags'].every((tag) => body.tags.includes(tag)))
})

test('what does not exist is not found, in the same shape', async () => {
  await refused(ask('GET', '/nothing'), 404, { route: ['not found'] })
  const malformed = await fetch(`${address}/api/articles/%E0%A4`)
  assert.deepEqual([malformed.status, await malformed.json()], [400, { errors: { url: ['is malformed'] } }])
  const outside = await fetch(`${address}/nothing`)
  assert.deepEqual([outside.status, await outside.json()], [404, { errors: { route: ['not found'] } }])
  seen.delete('get /nothing')
})

/** Without `default`: answers that no request of a correct client gets. */
const statusesOf = (responses: object) =>
  Object.keys(responses)
    .filter((status) => status !== 'default')
    .map(Number)

test('every documented answer of every operation was given, and no other', async () => {
  const { paths } = (await (await fetch(`${address}/docs/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { responses: object }>>
  }
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { responses }]) => [`${method} ${path}`, statusesOf(responses)] as const),
  )
  const withoutInput = ['get /user', 'get /tags']
  for (const [operation, statuses] of documented) {
    const possible = statuses.filter((status) => status !== 422 || !withoutInput.includes(operation))
    assert.deepEqual(seen.get(operation), new Set(possible), operation)
  }
  assert.equal(seen.size, documented.length)
})
