import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { Miniflare } from 'miniflare'

const metafile = JSON.parse(readFileSync(new URL('../dist/metafile.json', import.meta.url), 'utf8'))
const miniflare = new Miniflare({
  modules: [{ type: 'ESModule', path: 'worker.mjs', contents: readFileSync(new URL('../dist/worker.mjs', import.meta.url), 'utf8') }],
  // The earliest that the page names.
  compatibilityDate: '2026-03-01',
  compatibilityFlags: ['nodejs_compat'],
  kvNamespaces: ['NOTES'],
})
after(() => miniflare.dispose())

const origin = (await miniflare.ready).origin

const send = (path, init) => fetch(origin + path, init)
const post = (body) => send('/notes', { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })

test('the worker stores a note in its binding, and finds it', async () => {
  const saved = await post({ name: 'first', text: 'Hello' })
  assert.deepEqual([saved.status, await saved.json()], [201, { name: 'first' }])
  const found = await send('/notes/first')
  assert.deepEqual([found.status, await found.json()], [200, { name: 'first', text: 'Hello' }])
})

test('requests are validated by the build', async () => {
  const invalid = await post({ name: 'second' })
  assert.deepEqual([invalid.status, (await invalid.json()).message], [400, "body should have required property 'text'"])
  assert.equal((await post({ name: 'x'.repeat(41), text: '' })).status, 400)
  assert.equal((await send('/nowhere')).status, 404)
})

test('many requests at a time are answered', async () => {
  const replies = await Promise.all(Array.from({ length: 50 }, (_, index) => post({ name: `note-${index}`, text: String(index) })))
  assert.ok(replies.every(({ status }) => status === 201))
  const texts = await Promise.all(replies.map(async (_, index) => (await (await send(`/notes/note-${index}`)).json()).text))
  assert.deepEqual(
    texts,
    Array.from({ length: 50 }, (_, index) => String(index)),
  )
})

test('the worker imports neither the filesystem nor connections', () => {
  const { imports } = Object.values(metafile.outputs)[0]
  const namesOf = (isWanted) =>
    [...new Set(imports.filter(({ kind }) => isWanted(kind)).map(({ path }) => path))].toSorted((a, b) => (a < b ? -1 : 1))
  assert.deepEqual(
    namesOf((kind) => kind !== 'dynamic-import'),
    [
      'cloudflare:workers',
      'node:assert',
      'node:async_hooks',
      'node:buffer',
      'node:crypto',
      'node:diagnostics_channel',
      'node:events',
      'node:http',
      'node:path',
      'node:stream',
      'node:url',
      'node:util',
      'node:zlib',
    ],
  )
  // Only what records a build imports it.
  assert.deepEqual(
    namesOf((kind) => kind === 'dynamic-import'),
    ['node:fs/promises'],
  )
})
