/** The code of docs/how-to/graphql.md, over a real connection. */
// #region test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testServer } from 'alcove'
import { App, Authors, Books, CurrentUser, GraphqlPlugin } from './app.js'

test('a book has its author, and the authors of all books are looked up once', async () => {
  await using app = await testServer(App)
  const response = await app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { 'x-key': 'jane-key' },
    payload: { query: '{ books { title author { name } } }' },
  })
  const author = { name: 'jane the author' }
  assert.deepEqual(response.json().data.books, [
    { title: 'Emma', author },
    { title: 'Persuasion', author },
  ])
  assert.equal(app.resolve(Authors).lookups, 1)
})

test('a change knows its user, and the plugin alone is tested with a user and providers of the test', async () => {
  const books = new Books()
  const provide = [
    [CurrentUser, 'eve'],
    [Books, books],
    [Authors, new Authors()],
  ] as const
  await using app = await testServer(GraphqlPlugin, { provide })
  const payload = { query: 'mutation { addBook(title: "Sanditon") { id } }' }
  assert.deepEqual((await app.inject({ method: 'POST', url: '/graphql', payload })).json(), { data: { addBook: { id: '3' } } })
  assert.equal(books.find('3')?.authorId, 'eve')
})
// #endregion

const ask = (app: Awaited<ReturnType<typeof testServer>>, query: string, headers: Record<string, string> = { 'x-key': 'jane-key' }) =>
  app.inject({ method: 'POST', url: '/graphql', headers, payload: { query } })

test('the guard of the context refuses a request without a key', async () => {
  await using app = await testServer(App, { replies: 'ignore' })
  const { statusCode, body } = await ask(app, '{ books { title } }', {})
  assert.deepEqual([statusCode, JSON.parse(body)], [401, { data: null, errors: [{ message: 'Send a key as x-key' }] }])
})

test('clients see errors below 500 that providers throw, and nothing of others', async () => {
  await using app = await testServer(App, { replies: 'ignore' })
  assert.equal((await ask(app, 'mutation { addBook(title: "") { id } }')).json().errors[0].message, 'A title is not empty')
  app.resolve(Books).add = () => {
    throw new Error('connection to 10.0.0.7 lost')
  }
  const { errors } = (await ask(app, 'mutation { addBook(title: "Sanditon") { id } }')).json()
  assert.deepEqual([errors.length, errors[0].message, errors[0].path], [1, 'Internal Server Error', ['addBook']])
})

test('faults of a query are shown: an unknown field, and one that is too deep', async () => {
  await using app = await testServer(App, { replies: 'ignore' })
  const messageOf = async (query: string) => {
    const { statusCode, body } = await ask(app, query)
    return [statusCode, JSON.parse(body).errors[0].message]
  }
  assert.deepEqual(await messageOf('{ nothing }'), [400, 'Cannot query field "nothing" on type "Query".'])
  const deep = '{ books { author { books { author { books { author { books { title } } } } } } } }'
  assert.deepEqual(await messageOf(deep), [400, '`unnamedQuery query depth (8) exceeds the query depth limit of 6`'])
})

test('a change is not made by GET', async () => {
  await using app = await testServer(App, { replies: 'ignore' })
  const query = encodeURIComponent('mutation { addBook(title: "Sanditon") { id } }')
  const { body } = await app.inject({ url: `/graphql?query=${query}`, headers: { 'x-key': 'jane-key' } })
  assert.equal(JSON.parse(body).errors[0].message, 'Operation cannot be performed via a GET request')
  assert.equal(app.resolve(Books).list().length, 2)
})
