/** Every operation over HTTP: its successful answer and every error that it documents. */
import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import type { TestServer } from 'alcove'
import {
  type Api,
  type Article,
  createClient,
  type GenericErrorModel,
  type Interceptor,
  type NewArticle,
  type UpdateArticle,
  type UpdateUser,
} from '../client.js'
import { startConduit } from './conduit.js'

let app: TestServer
let address: string
let api: Api
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
  api = createClient({ baseUrl: address, interceptors: [noteStatus] })
})
after(() => app.close())

/** Which statuses every operation has answered. */
const seen = new Map<string, Set<number>>()
const noteStatus: Interceptor = async (request, next) => {
  const response = await next(request)
  const operation = `${request.method.toLowerCase()} ${declaredPath(request.url.slice(`${address}/api`.length))}`
  seen.set(operation, (seen.get(operation) ?? new Set()).add(response.status))
  return response
}

const by = (token: string) => ({ headers: { authorization: `Token ${token}` } })
/** A value that the types of the client refuse. */
const wrong = (value: unknown): never => value as never

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
  const { user } = await api.users
    .createUser({ body: { user: { username, email: `${username}@example.com`, password: 'secret' } } })
    .expect(201)
  return user
}
async function publish(token: string, article: Partial<NewArticle> = {}): Promise<Article> {
  const full = { title: `Title ${++count}`, description: 'About', body: 'Text', ...article }
  return (await api.writeArticles.createArticle({ ...by(token), body: { article: full } }).expect(201)).article
}
const refused = async (
  call: Promise<{ status: number; body: unknown }>,
  status: number,
  errors: GenericErrorModel['errors'],
): Promise<void> => {
  const { status: given, body } = await call
  assert.deepEqual({ status: given, body }, { status, body: { errors } })
}
const read = (slug: string) => api.readArticles.getArticle({ params: { slug } })
interface Page {
  limit?: number
  offset?: number
}
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('registration and login', () => {
  test('a new user gets a token, and no bio or image', async () => {
    const { user } = await api.users
      .createUser({ body: { user: { username: 'ada', email: 'Ada@example.com', password: 'secret' } } })
      .expect(201)
    const { token, ...rest } = user
    assert.deepEqual(rest, { username: 'ada', email: 'Ada@example.com', bio: null, image: null })
    assert.equal((await api.currentUser.getCurrentUser(by(token)).expect(200)).user.username, 'ada')
    const login = await api.users.login({ body: { user: { email: 'ada@example.com', password: 'secret' } } }).expect(200)
    assert.equal(login.user.email, 'Ada@example.com')
  })

  test('a name or an address that is taken is refused', async () => {
    const { username, email } = await register()
    const user = { username: `other${++count}`, email: `other${count}@example.com`, password: 'secret' }
    await refused(api.users.createUser({ body: { user: { ...user, username } } }), 422, { username: ['has already been taken'] })
    await refused(api.users.createUser({ body: { user: { ...user, email: email.toUpperCase() } } }), 422, {
      email: ['has already been taken'],
    })
  })

  test('of many who want a name at once, one gets it', async () => {
    const attempts = Array.from({ length: 8 }, (_, index) =>
      api.users.createUser({ body: { user: { username: 'wanted', email: `wanted${index}@example.com`, password: 'secret' } } }),
    )
    const statuses = (await Promise.all(attempts)).map(({ status }) => status)
    assert.deepEqual([statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 422).length], [1, 7])
  })

  test('all that is missing, blank or wrong is said at once', async () => {
    const blank = ["can't be blank"]
    await refused(api.users.createUser({ body: { user: wrong({ username: ' ' }) } }), 422, {
      email: blank,
      password: blank,
      username: blank,
    })
    await refused(api.users.createUser({ body: { user: { username: 'x', email: 'no address', password: wrong(5) } } }), 422, {
      email: ['is invalid'],
      password: ['must be string'],
    })
    await refused(api.users.createUser({ body: wrong({}) }), 422, { user: blank })
    await refused(api.users.login({ body: { user: { email: '', password: '' } } }), 422, { email: blank, password: blank })
  })

  test('a wrong password and an unknown address are refused alike', async () => {
    const { email } = await register()
    for (const user of [
      { email, password: 'wrong' },
      { email: 'nobody@example.com', password: 'secret' },
    ])
      await refused(api.users.login({ body: { user } }), 401, { credentials: ['invalid'] })
  })

  test('a stale token does not keep anybody from logging in', async () => {
    const { email } = await register()
    await api.users.login({ ...by('stale'), body: { user: { email, password: 'secret' } } }).expect(200)
  })

  test('a body that is no JSON, is none or comes as something else is refused in the same shape', async () => {
    for (const [text, type, status] of [
      ['{', 'application/json', 422],
      ['', 'application/json', 422],
      ['null', 'application/json', 422],
      ['user=ada', 'application/x-www-form-urlencoded', 415],
    ] as const) {
      const body = await api.users.createUser({ body: wrong(new Blob([text], { type })) }).expect(status)
      assert.deepEqual(Object.keys(body), ['errors'], text)
    }
    assert.ok(seen.get('post /users')!.delete(415))
  })

  test('a character that no text column takes is refused', async () => {
    const user = { username: 'a\0b', email: 'nul@example.com', password: 'secret' }
    await refused(api.users.createUser({ body: { user } }), 422, { body: ['contains a character that cannot be stored'] })
  })
})

describe('the current user', () => {
  test('is known by the token, also when it is called Bearer', async () => {
    const { token, username } = await register()
    assert.equal((await api.currentUser.getCurrentUser(by(token)).expect(200)).user.username, username)
    await api.currentUser.getCurrentUser({ headers: { authorization: `Bearer ${token}` } }).expect(200)
  })

  test('is not known without one, or with one that somebody else signed', async () => {
    for (const headers of [{}, { authorization: 'Token' }, { authorization: 'Token null' }, { authorization: 'Basic abc' }])
      await refused(api.currentUser.getCurrentUser({ headers }), 401, { token: ['is missing'] })
    await refused(api.currentUser.getCurrentUser(by('a.b.c')), 401, { token: ['is invalid'] })
    const forged = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"1"}').toString('base64url')}.`
    await refused(api.currentUser.getCurrentUser(by(forged)), 401, { token: ['is invalid'] })
    await refused(api.currentUser.updateCurrentUser({ body: { user: { bio: '' } } }), 401, { token: ['is missing'] })
  })

  test('changes what is given, and nothing else', async () => {
    const { token, username, email } = await register()
    const update = async (user: UpdateUser) => (await api.currentUser.updateCurrentUser({ ...by(token), body: { user } }).expect(200)).user
    const { token: _token, ...changed } = await update({ bio: 'Writes', image: 'https://example.com/a.png' })
    assert.deepEqual(changed, { username, email, bio: 'Writes', image: 'https://example.com/a.png' })
    assert.equal((await update({ bio: '' })).bio, null)
    assert.equal((await update({ image: null })).image, null)
    assert.equal((await update({})).username, username)
    const renamed = await update({ username: `${username}x`, email: `x${email}` })
    assert.deepEqual([renamed.username, renamed.email], [`${username}x`, `x${email}`])
    assert.equal((await api.currentUser.getCurrentUser(by(token)).expect(200)).user.username, `${username}x`)
  })

  test('may change the password', async () => {
    const { token, email } = await register()
    await api.currentUser.updateCurrentUser({ ...by(token), body: { user: { password: 'another' } } }).expect(200)
    await api.users.login({ body: { user: { email, password: 'secret' } } }).expect(401)
    await api.users.login({ body: { user: { email, password: 'another' } } }).expect(200)
  })

  test('keeps a name and an address, and takes none from others', async () => {
    const { username } = await register()
    const { token } = await register()
    for (const user of [{ email: '' }, { username: wrong(null) }, { email: wrong(null) }, { username: '' }, { password: '' }])
      await api.currentUser.updateCurrentUser({ ...by(token), body: { user } }).expect(422)
    await refused(api.currentUser.updateCurrentUser({ ...by(token), body: { user: { username } } }), 422, {
      username: ['has already been taken'],
    })
  })
})

describe('profiles', () => {
  test('are followed and unfollowed, twice is once', async () => {
    const { token } = await register()
    const { username } = await register()
    const params = { username }
    const { followUserByUsername: follow, unfollowUserByUsername: unfollow } = api.followProfile
    for (const [change, following] of [
      [follow, true],
      [follow, true],
      [unfollow, false],
      [unfollow, false],
    ] as const) {
      const { profile } = await change({ ...by(token), params }).expect(200)
      assert.deepEqual(profile, { username, bio: null, image: null, following })
      assert.equal((await api.profile.getProfileByUsername({ ...by(token), params }).expect(200)).profile.following, following)
      assert.equal((await api.profile.getProfileByUsername({ params }).expect(200)).profile.following, false)
    }
  })

  test('of nobody are not found; following needs a token; a wrong token is refused to visitors too', async () => {
    const { token, username } = await register()
    const params = { username: 'nobody' }
    const { followUserByUsername: follow, unfollowUserByUsername: unfollow } = api.followProfile
    for (const call of [api.profile.getProfileByUsername, follow, unfollow]) {
      await refused(call({ ...by(token), params }), 404, { profile: ['not found'] })
      await refused(call({ ...by(token), params: { username: 'a\0b' } }), 422, { body: ['contains a character that cannot be stored'] })
    }
    for (const call of [follow, unfollow]) await refused(call({ params }), 401, { token: ['is missing'] })
    await refused(api.profile.getProfileByUsername({ ...by('wrong'), params: { username } }), 401, { token: ['is invalid'] })
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
    assert.deepEqual(await read(article.slug).expect(200), { article })
  })

  test('of one title have slugs of their own, also when they are written at once; none hides another route', async () => {
    const { token } = await register()
    const slugs = (await Promise.all(Array.from({ length: 5 }, () => publish(token, { title: 'The same' })))).map(({ slug }) => slug)
    assert.equal(new Set(slugs).size, 5)
    const { slug } = await publish(token, { title: 'Feed' })
    assert.match(slug, /^feed-/)
    await read((await publish(token, { title: '???' })).slug).expect(200)
  })

  test('are changed by their author: what is given; a new title brings a new slug', async () => {
    const { token } = await register()
    const article = await publish(token, { tagList: ['a', 'b'] })
    const update = async (slug: string, changes: UpdateArticle) =>
      (await api.writeArticles.updateArticle({ ...by(token), params: { slug }, body: { article: changes } }).expect(200)).article
    const changed = await update(article.slug, { body: 'Other text' })
    assert.deepEqual(changed, { ...article, body: 'Other text', updatedAt: changed.updatedAt })
    assert.ok(changed.updatedAt > article.updatedAt)
    assert.deepEqual((await update(article.slug, { tagList: ['d', 'c'] })).tagList, ['c', 'd'])
    assert.deepEqual((await update(article.slug, { tagList: [] })).tagList, [])
    assert.equal((await update(article.slug, { title: article.title })).slug, article.slug)
    const renamed = await update(article.slug, { title: `Renamed ${count}` })
    assert.equal(renamed.slug, `renamed-${count}`)
    await read(article.slug).expect(404)
  })

  test('are refused without title, description or body, and with tags that are none', async () => {
    const { token } = await register()
    const blank = ["can't be blank"]
    const { createArticle, updateArticle } = api.writeArticles
    await refused(createArticle({ ...by(token), body: { article: { title: '', description: '', body: '' } } }), 422, {
      title: blank,
      description: blank,
      body: blank,
    })
    const { slug } = await publish(token)
    const update = (article: UpdateArticle) => updateArticle({ ...by(token), params: { slug }, body: { article } })
    await refused(update({ tagList: wrong(null) }), 422, { tagList: ['must be array'] })
    await refused(update({ title: '' }), 422, { title: blank })
  })

  test('belong to their author', async () => {
    const { slug } = await publish((await register()).token)
    const { token } = await register()
    const { updateArticle, deleteArticle } = api.writeArticles
    await refused(updateArticle({ ...by(token), params: { slug }, body: { article: { body: 'Mine' } } }), 403, { article: ['forbidden'] })
    await refused(deleteArticle({ ...by(token), params: { slug } }), 403, { article: ['forbidden'] })
  })

  test('are deleted with what belongs to them', async () => {
    const { token } = await register()
    const { slug } = await publish(token, { tagList: ['gone'] })
    const params = { slug }
    await api.writeComments.createArticleComment({ ...by(token), params, body: { comment: { body: 'Gone too' } } }).expect(200)
    await api.favorites.createArticleFavorite({ ...by(token), params }).expect(200)
    assert.equal(await api.writeArticles.deleteArticle({ ...by(token), params }).expect(204), undefined)
    await read(slug).expect(404)
    assert.ok(!(await api.getTags().expect(200)).tags.includes('gone'))
  })

  test('that do not exist are not found; writing needs a token', async () => {
    const { token } = await register()
    type Parts = { headers?: { authorization: string }; params: { slug: string } }
    const reading = [api.readArticles.getArticle, api.readComments.getArticleComments]
    const writing = [
      (parts: Parts) => api.writeArticles.updateArticle({ ...parts, body: { article: { body: 'Text' } } }),
      api.writeArticles.deleteArticle,
      api.favorites.createArticleFavorite,
      api.favorites.deleteArticleFavorite,
      (parts: Parts) => api.writeComments.createArticleComment({ ...parts, body: { comment: { body: 'Text' } } }),
      ({ params, ...parts }: Parts) => api.writeComments.deleteArticleComment({ ...parts, params: { ...params, id: 1 } }),
    ]
    const params = { slug: 'none' }
    for (const call of [...reading, ...writing]) {
      await refused(call({ ...by(token), params }), 404, { article: ['not found'] })
      await refused(call({ ...by('wrong'), params }), 401, { token: ['is invalid'] })
      await refused(call({ ...by(token), params: { slug: '\0' } }), 422, { body: ['contains a character that cannot be stored'] })
    }
    for (const call of writing) await refused(call({ params }), 401, { token: ['is missing'] })
    await refused(api.writeArticles.createArticle({ body: { article: wrong({}) } }), 401, { token: ['is missing'] })
  })
})

describe('lists of articles', () => {
  test('have the newest first, without bodies, by page, and count them all', async () => {
    const { token, username } = await register()
    const slugs: string[] = []
    for (let index = 0; index < 3; index += 1) slugs.unshift((await publish(token)).slug)
    const list = (page: Page) => api.readArticles.getArticles({ query: { author: username, ...page } }).expect(200)
    const all = await list({})
    assert.deepEqual([all.articles.map(({ slug }) => slug), all.articlesCount], [slugs, 3])
    assert.ok(!('body' in all.articles[0]!))
    const second = await list({ limit: 1, offset: 1 })
    assert.deepEqual([second.articles.map(({ slug }) => slug), second.articlesCount], [[slugs[1]], 3])
    assert.deepEqual(await list({ offset: 9 }), { articles: [], articlesCount: 3 })
  })

  test('have twenty articles unless more are asked for', async () => {
    const { token, username: author } = await register()
    await Promise.all(Array.from({ length: 21 }, () => publish(token)))
    const list = async (page: Page) => (await api.readArticles.getArticles({ query: { author, ...page } }).expect(200)).articles
    assert.equal((await list({})).length, 20)
    assert.equal((await list({ limit: 50 })).length, 21)
  })

  test('take as many queries, however long they are', async () => {
    const { token, username } = await register()
    const { token: reader } = await register()
    await api.followProfile.followUserByUsername({ ...by(reader), params: { username } }).expect(200)
    for (let index = 0; index < 5; index += 1) await publish(token, { tagList: ['a', 'b'] })
    const lists = {
      all: (limit: number) => api.readArticles.getArticles({ ...by(reader), query: { limit } }),
      'of one author': (limit: number) => api.readArticles.getArticles({ ...by(reader), query: { author: username, limit } }),
      feed: (limit: number) => api.writeArticles.getArticlesFeed({ ...by(reader), query: { limit } }),
    }
    for (const [name, list] of Object.entries(lists))
      for (const limit of [1, 5]) {
        queries.length = 0
        await list(limit).expect(200)
        // The user, the page and the count.
        assert.equal(queries.length, 3, name)
      }
  })

  test('are filtered by tag, author and who likes them', async () => {
    const { token, username } = await register()
    const { slug } = await publish(token, { tagList: ['rare', 'other'] })
    await publish(token)
    const fan = await register()
    await api.favorites.createArticleFavorite({ ...by(fan.token), params: { slug } }).expect(200)
    const { getArticles } = api.readArticles
    for (const query of [
      { tag: 'rare' },
      { favorited: fan.username },
      { author: username, tag: 'rare' },
      { tag: 'rare', author: '', favorited: '' },
    ]) {
      const { articles, articlesCount } = await getArticles({ query }).expect(200)
      assert.deepEqual([articles.map((article) => article.slug), articlesCount], [[slug], 1], JSON.stringify(query))
      assert.deepEqual(articles[0]!.tagList, ['other', 'rare'])
    }
    assert.deepEqual(await getArticles({ query: { author: 'nobody' } }).expect(200), { articles: [], articlesCount: 0 })
    const { articles } = await getArticles({ ...by(fan.token), query: { tag: 'rare' } }).expect(200)
    assert.deepEqual([articles[0]!.favorited, articles[0]!.favoritesCount], [true, 1])
  })

  test('of those whom one follows are the feed', async () => {
    const { token } = await register()
    const feed = (page: Page) => api.writeArticles.getArticlesFeed({ ...by(token), query: page }).expect(200)
    assert.deepEqual(await feed({}), { articles: [], articlesCount: 0 })
    const author = await register()
    const first = await publish(author.token)
    const second = await publish(author.token)
    await api.followProfile.followUserByUsername({ ...by(token), params: { username: author.username } }).expect(200)
    const all = await feed({})
    assert.deepEqual([all.articles.map(({ slug }) => slug), all.articlesCount], [[second.slug, first.slug], 2])
    assert.equal(all.articles[0]!.author.following, true)
    const page = await feed({ limit: 1, offset: 1 })
    assert.deepEqual([page.articles[0]!.slug, page.articlesCount], [first.slug, 2])
    await refused(api.writeArticles.getArticlesFeed(), 401, { token: ['is missing'] })
  })

  test('have pages of numbers that make sense', async () => {
    const { token } = await register()
    for (const list of [api.readArticles.getArticles, api.writeArticles.getArticlesFeed])
      for (const query of [{ limit: 0 }, { limit: wrong('x') }, { offset: -1 }, { offset: wrong('1e400') }, { limit: 99_999_999_999 }])
        await list({ ...by(token), query }).expect(422)
    await refused(api.readArticles.getArticles(by('wrong')), 401, { token: ['is invalid'] })
  })
})

describe('favorites', () => {
  test('are made and taken back, twice is once', async () => {
    const { slug } = await publish((await register()).token)
    const { token } = await register()
    // Some clients send a content type and no body.
    const headers = { ...by(token).headers, 'content-type': 'application/json' }
    const { createArticleFavorite: add, deleteArticleFavorite: remove } = api.favorites
    for (const [change, favorited] of [
      [add, true],
      [add, true],
      [remove, false],
      [remove, false],
    ] as const) {
      const { article } = await change({ headers, params: { slug } }).expect(200)
      assert.deepEqual([article.favorited, article.favoritesCount], [favorited, favorited ? 1 : 0])
      assert.equal((await read(slug).expect(200)).article.favoritesCount, favorited ? 1 : 0)
    }
  })

  test('of many at once are all counted', async () => {
    const { slug } = await publish((await register()).token)
    const fans = await Promise.all(Array.from({ length: 6 }, register))
    const add = api.favorites.createArticleFavorite
    await Promise.all(fans.flatMap(({ token }) => [1, 2].map(() => add({ ...by(token), params: { slug } }).expect(200))))
    assert.equal((await read(slug).expect(200)).article.favoritesCount, 6)
  })
})

describe('comments', () => {
  test('are written, listed and deleted', async () => {
    const author = await register()
    const { slug } = await publish(author.token)
    const { token, username } = await register()
    const { createArticleComment, deleteArticleComment } = api.writeComments
    const add = (body: string) => createArticleComment({ ...by(token), params: { slug }, body: { comment: { body } } })
    const { comment } = await add('Well said').expect(200)
    const { id, createdAt, updatedAt, ...rest } = comment
    assert.ok(Number.isInteger(id))
    assert.match(createdAt, isoTime)
    assert.match(updatedAt, isoTime)
    assert.deepEqual(rest, { body: 'Well said', author: { username, bio: null, image: null, following: false } })

    await api.followProfile.followUserByUsername({ ...by(author.token), params: { username } }).expect(200)
    const list = async (headers = {}) => (await api.readComments.getArticleComments({ headers, params: { slug } }).expect(200)).comments
    assert.deepEqual(await list(), [comment])
    assert.equal((await list(by(author.token).headers))[0]!.author.following, true)

    const remove = (of: number, owner = token) => deleteArticleComment({ ...by(owner), params: { slug, id: of } })
    await refused(remove(id, author.token), 403, { comment: ['forbidden'] })
    await remove(id).expect(204)
    assert.deepEqual(await list(), [])
    await refused(remove(id), 404, { comment: ['not found'] })
    await refused(remove(wrong('x')), 422, { id: ['must be integer'] })
    await refused(add(''), 422, { body: ["can't be blank"] })
  })

  test('of one article are not deleted through another', async () => {
    const { token } = await register()
    const [one, other] = [await publish(token), await publish(token)]
    const { createArticleComment, deleteArticleComment } = api.writeComments
    const added = createArticleComment({ ...by(token), params: { slug: one.slug }, body: { comment: { body: 'Here' } } })
    const { id } = (await added.expect(200)).comment
    await refused(deleteArticleComment({ ...by(token), params: { slug: other.slug, id } }), 404, { comment: ['not found'] })
  })
})

test('tags are those of all articles', async () => {
  await publish((await register()).token, { tagList: ['one-tag', 'two-tags'] })
  const { tags } = await api.getTags().expect(200)
  assert.ok(['one-tag', 'two-tags'].every((tag) => tags.includes(tag)))
})

test('what does not exist is not found, in the same shape', async () => {
  const nothing = await fetch(`${address}/api/nothing`)
  assert.deepEqual([nothing.status, await nothing.json()], [404, { errors: { route: ['not found'] } }])
  const malformed = await fetch(`${address}/api/articles/%E0%A4`)
  assert.deepEqual([malformed.status, await malformed.json()], [400, { errors: { url: ['is malformed'] } }])
  const outside = await fetch(`${address}/nothing`)
  assert.deepEqual([outside.status, await outside.json()], [404, { errors: { route: ['not found'] } }])
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
