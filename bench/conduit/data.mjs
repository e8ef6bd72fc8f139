/** The data of the measurement: a database for each application, all with the same rows. */
import { createRequire } from 'node:module'
import { openLayer } from './layer.mjs'

const sample = createRequire(new URL('../../samples/conduit/package.json', import.meta.url))
const { Client } = sample('pg')
const { hash } = sample('@node-rs/argon2')

export const reader = { email: 'user1@example.com', password: 'a password of the measurement' }

const USERS = 100
const ARTICLES = 1000

/** Comments are written on articles behind this one, and read of those before it, so that each read returns as much. */
export const WRITTEN = 500

const statements = [
  `insert into users (username, email, password_hash, bio)
   select 'user' || n, 'user' || n || '@example.com', $1, 'The life of user ' || n from generate_series(1, ${USERS}) n`,
  `insert into articles (author_id, slug, title, description, body, created_at, updated_at)
   select 1 + n % ${USERS}, 'article-' || n, 'Article ' || n, 'What article ' || n || ' is about', repeat('Text of article ' || n || '. ', 60),
     timestamptz '2026-01-01' + n * interval '1 minute', timestamptz '2026-01-01' + n * interval '1 minute'
   from generate_series(1, ${ARTICLES}) n`,
  `insert into article_tags (article_id, tag, position)
   select n, 'tag' || (n * (p + 1)) % 29 + p * 29, p from generate_series(1, ${ARTICLES}) n, generate_series(0, 2) p`,
  `insert into favorites (article_id, user_id) select n, 1 + (n * 7 + u * 5) % ${USERS}
   from generate_series(1, ${ARTICLES}) n, generate_series(1, 10) u on conflict do nothing`,
  `insert into follows (follower_id, followed_id) select f, 1 + (f * 3 + u * 7) % ${USERS}
   from generate_series(1, ${USERS}) f, generate_series(1, 20) u on conflict do nothing`,
  `insert into comments (article_id, author_id, body, created_at, updated_at)
   select 1 + n % ${ARTICLES}, 1 + n % ${USERS}, 'Comment ' || n, timestamptz '2026-02-01' + n * interval '1 second',
     timestamptz '2026-02-01' + n * interval '1 second'
   from generate_series(1, ${ARTICLES * 5}) n`,
]

async function run(url, texts) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const [text, values] of texts) await client.query(text, values)
  } finally {
    await client.end()
  }
}

/** Makes the database of each application; returns their URLs. */
export async function makeDatabases(server, names) {
  const template = new URL(server)
  template.pathname = 'conduit_template'
  await run(server, [['create database conduit_template']])
  process.env['DATABASE_URL'] = template.href
  // Opening it runs the migrations.
  const { close } = await openLayer()
  const password = await hash(reader.password)
  await run(template.href, [...statements.map((text, index) => [text, index === 0 ? [password] : []]), ['analyze']])
  await close()
  const urls = {}
  for (const name of names) {
    await run(server, [[`create database conduit_${name} template conduit_template`]])
    const url = new URL(server)
    url.pathname = `conduit_${name}`
    urls[name] = url.href
  }
  return urls
}
