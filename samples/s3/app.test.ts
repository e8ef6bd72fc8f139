/** The code of docs/how-to/object-storage.md, on a small server with the interface of S3. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { bootstrap, type Class } from 'alcove'
import { App as PresignedApp } from './presigned.js'
import { App as StreamedApp } from './streamed.js'

interface Storage {
  run(): Promise<AddressInfo>
  close(): Promise<void>
}
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: object) => Storage
const directory = await mkdtemp(join(tmpdir(), 'alcove-s3-'))
const storage = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: 'shop' }] })
const { port } = await storage.run()
after(() => storage.close())
Object.assign(process.env, {
  S3_BUCKET: 'shop',
  S3_ENDPOINT: `http://127.0.0.1:${port}`,
  AWS_ACCESS_KEY_ID: 'S3RVER',
  AWS_SECRET_ACCESS_KEY: 'S3RVER',
})

async function listen(App: Class, use: (origin: string) => Promise<void>): Promise<void> {
  const server = await bootstrap(App, { closeIdleDelay: 0 })
  try {
    await use(await server.listen({ port: 0, host: '127.0.0.1' }))
  } finally {
    await server.close()
  }
}

test('a client sends a file to the storage itself, and gets it from there', () =>
  listen(PresignedApp, async (origin) => {
    const announce = (body: object) =>
      fetch(`${origin}/photos`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    const announced = await announce({ type: 'image/png', size: 5 })
    assert.equal(announced.status, 201)
    const { id, url } = (await announced.json()) as { id: string; url: string }
    assert.ok(!url.includes('checksum'))
    const put = (type: string, body: string) => fetch(url, { method: 'PUT', headers: { 'content-type': type }, body })
    assert.equal((await put('image/png', 'too long')).status, 403)
    assert.equal((await put('text/html', 'photo')).status, 403)
    assert.equal((await put('image/png', 'photo')).status, 200)

    const found = await fetch(`${origin}/photos/${id}`)
    assert.deepEqual([found.status, await found.text(), found.headers.get('content-type')], [200, 'photo', 'image/png'])
    assert.equal((await fetch(`${origin}/photos/00000000-0000-4000-8000-000000000000`)).status, 404)
    assert.equal((await announce({ type: 'image/png', size: 10_000_001 })).status, 400)
    assert.equal((await announce({ type: 'text/html', size: 5 })).status, 400)
  }))

const send = (origin: string, body: Buffer) =>
  fetch(`${origin}/files`, { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: new Uint8Array(body) })
const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test('a file passes through the server in parts, and comes back whole or in parts', () =>
  listen(StreamedApp, async (origin) => {
    const bytes = randomBytes(12_000_000)
    const { id } = (await (await send(origin, bytes)).json()) as { id: string }
    const whole = await fetch(`${origin}/files/${id}`)
    assert.deepEqual([whole.status, hash(new Uint8Array(await whole.arrayBuffer()))], [200, hash(bytes)])
    const part = await fetch(`${origin}/files/${id}`, { headers: { range: 'bytes=6000000-6000009' } })
    assert.deepEqual([part.status, part.headers.get('content-range')], [206, 'bytes 6000000-6000009/12000000'])
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(6_000_000, 6_000_010)))
    assert.equal((await fetch(`${origin}/files/${id}`, { headers: { range: 'bytes=12000000-' } })).status, 416)
    assert.equal((await fetch(`${origin}/files/00000000-0000-4000-8000-000000000000`)).status, 404)
  }))

test('a file that is too large is refused, and nothing is left of it', () =>
  listen(StreamedApp, async (origin) => {
    const before = await readdir(join(directory, 'shop'), { recursive: true })
    const response = await send(origin, Buffer.alloc(100_000_001)).catch(() => undefined)
    assert.equal(response?.status ?? 413, 413)
    assert.deepEqual(await readdir(join(directory, 'shop'), { recursive: true }), before)
  }))
