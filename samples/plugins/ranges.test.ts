/** The code of docs/how-to/ranges.md, over a real connection. */
import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { listen } from './testing.js'

const folder = await mkdtemp(join(tmpdir(), 'alcove-videos-'))
await writeFile(join(folder, 'f3a1.mp4'), '0123456789')
await writeFile(join(folder, '77c0.mp4'), 'not for ada')
process.env['VIDEOS'] = folder
const { App, CoursesPlugin } = await import('./ranges.js')

const key = { 'x-key': 'ada-key' }

test('a part of a file is 206 with its place, and one behind the end is 416', () =>
  listen(App, async (ask) => {
    const part = async (range: string) => {
      const { status, headers } = await ask('/videos/1', { headers: { ...key, range } })
      return [status, headers.get('content-range')]
    }
    const whole = await ask('/videos/1', { headers: key })
    assert.deepEqual([whole.status, await whole.text(), whole.headers.get('accept-ranges')], [200, '0123456789', 'bytes'])
    assert.deepEqual(await part('bytes=2-4'), [206, 'bytes 2-4/10'])
    assert.deepEqual(await part('bytes=-3'), [206, 'bytes 7-9/10'])
    assert.deepEqual(await part('bytes=10-'), [416, 'bytes */10'])
    const { headers } = await ask('/videos/1', { headers: { ...key, range: 'bytes=2-4' } })
    assert.equal(headers.get('cache-control'), 'private, max-age=3600')
    const plain = await ask('/videos/1', { headers: key, method: 'HEAD' })
    assert.deepEqual([plain.status, plain.headers.get('content-length')], [200, '10'])
  }))

test('a part of a file that has changed is not mixed with the one before: If-Range gets the whole file', () =>
  listen(App, async (ask) => {
    const etag = (await ask('/videos/1', { headers: key })).headers.get('etag')!
    const part = async (ifRange: string) =>
      (await ask('/videos/1', { headers: { ...key, range: 'bytes=2-4', 'if-range': ifRange } })).status
    assert.deepEqual([await part(etag), await part('"another"')], [206, 200])
  }))

test('the guard and the rule of the owner hold for ranges too', () =>
  listen(App, async (ask) => {
    const range = { range: 'bytes=0-1' }
    assert.equal((await ask('/videos/1', { headers: range })).status, 401)
    assert.equal((await ask('/videos/2', { headers: { ...range, ...key } })).status, 404)
    assert.equal((await ask('/videos/..%2f1', { headers: key })).status, 400)
  }))

test('a whole folder is covered by the guard of its plugin', () =>
  listen(CoursesPlugin, async (ask) => {
    assert.equal((await ask('/courses/f3a1.mp4')).status, 401)
    const part = await ask('/courses/f3a1.mp4', { headers: { ...key, range: 'bytes=0-0' } })
    assert.deepEqual([part.status, part.headers.get('cache-control')], [206, 'private, no-cache'])
    for (const path of ['/courses/..%2f..%2fetc%2fpasswd', '/courses/nothing.mp4'])
      assert.equal((await ask(path, { headers: key })).status, 404)
  }))
