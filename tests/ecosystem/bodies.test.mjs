import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import formbody from '@fastify/formbody'
import multipart5 from '@fastify/multipart'
import multipart4 from 'multipart4'
import Fastify from '../../dist/lib/fastify/index.js'
import { eachFace, Running, subjectTitle, testPlugin } from './harness.mjs'

const echo = (url, options = {}) => ({ method: 'POST', url, handler: (request) => ({ body: request.body }), ...options })
const person = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, age: { type: 'integer' } } }

testPlugin(
  '@fastify/formbody',
  {
    application: () => ({
      plugins: [[formbody, { bodyLimit: 100 }]],
      routes: [
        echo('/any'),
        echo('/own', { schema: { body: person } }),
        echo('/person', { schema: { consumes: ['application/x-www-form-urlencoded'], body: person } }),
      ],
      setup: (instance) =>
        instance.register(async (below) => {
          below.route(echo('/below', { schema: { body: person } }))
        }),
      elsewhere: (instance) => void instance.post('/elsewhere/any', (request) => ({ body: request.body })),
    }),
  },
  (app) => {
    const form = (values) => ({ method: 'POST', body: new URLSearchParams(values) })
    it('parses a form into an object, repeated names into a list', async () => {
      const { status, body } = await app.ask('/any', { method: 'POST', body: new URLSearchParams('a=1&b=x+y&a=2') })
      assert.equal(status, 200)
      assert.deepEqual(body.body, { a: ['1', '2'], b: 'x y' })
    })
    it('is validated and coerced by a body schema that lists the media type in "consumes"', async () => {
      assert.deepEqual((await app.ask('/person', form({ name: 'Ada', age: '36' }))).body, { body: { name: 'Ada', age: 36 } })
      const wrong = await app.ask('/person', form({ age: '36' }))
      assert.equal(wrong.status, 400)
      assert.equal(wrong.body.message, "body should have required property 'name'")
      assert.deepEqual((await app.post('/person', { name: 'Ada' })).body, { body: { name: 'Ada' } })
    })
    it('is validated and coerced by a body schema of the context that the plugin is registered in', async () => {
      assert.deepEqual((await app.ask('/own', form({ name: 'Ada', age: '36' }))).body, { body: { name: 'Ada', age: 36 } })
      assert.equal((await app.ask('/own', form({ age: '36' }))).status, 400)
    })
    it('is refused with 415 by a body schema of a context below that does not list the media type', async () => {
      assert.equal((await app.ask('/below', form({ name: 'Ada' }))).status, 415)
    })
    it('is validated by a body schema of any context in alcove/fastify', async () => {
      const server = Fastify()
      server.register(formbody)
      server.register(async (below) => {
        below.route(echo('/below', { schema: { body: person } }))
      })
      const send = (payload) =>
        server.inject({ method: 'POST', url: '/below', payload, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
      assert.deepEqual((await send('name=Ada&age=36')).json(), { body: { name: 'Ada', age: 36 } })
      const wrong = await send('age=36')
      assert.equal(wrong.statusCode, 400)
      assert.equal(wrong.json().message, "body must have required property 'name'")
      await server.close()
    })
    it('answers 413 above its own limit', async () => {
      assert.equal((await app.ask('/any', form({ name: 'a'.repeat(200) }))).status, 413)
    })
    it('does not parse forms in a sibling context', async () => {
      assert.equal((await app.ask('/elsewhere/any', form({ a: '1' }))).status, 415)
    })
  },
)

function upload(...entries) {
  const body = new FormData()
  for (const [name, value, filename] of entries) {
    if (filename) body.append(name, new Blob([value]), filename)
    else body.append(name, value)
  }
  return { method: 'POST', body }
}

for (const [name, multipart] of [
  ['@fastify/multipart', multipart5],
  ['multipart4', multipart4],
]) {
  testPlugin(
    name,
    {
      label: 'reading parts',
      application: () => ({
        plugins: [[multipart, { limits: { fileSize: 1000, files: 2 } }]],
        routes: [
          {
            method: 'POST',
            url: '/file',
            async handler(request) {
              const part = await request.file()
              const bytes = await part.toBuffer()
              return { name: part.filename, size: bytes.length, note: part.fields.note?.value }
            },
          },
          {
            method: 'POST',
            url: '/parts',
            async handler(request) {
              const seen = []
              for await (const part of request.parts()) {
                if (part.type === 'file') seen.push([part.fieldname, (await part.toBuffer()).toString()])
                else seen.push([part.fieldname, part.value])
              }
              return { seen }
            },
          },
          {
            method: 'POST',
            url: '/saved',
            async handler(request) {
              // Version 10 gives the fields beside the files, version 8 the files alone.
              const saved = await request.saveRequestFiles()
              const [file] = saved.files ?? saved
              let text = ''
              for await (const chunk of createReadStream(file.filepath)) text += chunk
              return { text }
            },
          },
        ],
        elsewhere: (instance) => void instance.post('/elsewhere/any', (request) => ({ body: request.body })),
      }),
      decorates: { server: ['multipartErrors'], request: ['isMultipart', 'file', 'files', 'parts', 'saveRequestFiles', 'formData'] },
    },
    (app) => {
      it('gives a file and the fields that came before it', async () => {
        const { status, body } = await app.ask('/file', upload(['note', 'hello'], ['upload', 'x'.repeat(500), 'x.txt']))
        assert.equal(status, 200)
        assert.deepEqual(body, { name: 'x.txt', size: 500, note: 'hello' })
      })
      it('gives all parts in their order', async () => {
        const { body } = await app.ask('/parts', upload(['a', 'one'], ['b', 'bytes', 'b.txt'], ['c', 'two']))
        assert.deepEqual(body, {
          seen: [
            ['a', 'one'],
            ['b', 'bytes'],
            ['c', 'two'],
          ],
        })
      })
      it('saves files to disk for the time of the request', async () => {
        assert.deepEqual((await app.ask('/saved', upload(['upload', 'on disk', 'x.txt']))).body, { text: 'on disk' })
      })
      it('answers 413 to a file or a number of files above the limits', async () => {
        assert.equal((await app.ask('/file', upload(['upload', 'x'.repeat(2000), 'x.txt']))).status, 413)
        const many = await app.ask('/parts', upload(['a', '1', 'a.txt'], ['b', '2', 'b.txt'], ['c', '3', 'c.txt']))
        assert.equal(many.status, 413)
      })
      it('answers 406 to a request that is not multipart', async () => {
        assert.equal((await app.post('/file', {})).status, 406)
      })
      it('does not take multipart requests in a sibling context', async () => {
        assert.equal((await app.ask('/elsewhere/any', upload(['a', '1']))).status, 415)
      })
    },
  )

  testPlugin(
    name,
    {
      label: 'attaching fields to the body',
      application: () => ({
        plugins: [[multipart, { attachFieldsToBody: 'keyValues' }]],
        routes: [
          echo('/person', {
            schema: {
              consumes: ['multipart/form-data'],
              body: { ...person, properties: { ...person.properties, upload: { type: 'string', format: 'binary' } } },
            },
            handler: ({ body }) => ({ name: body.name, age: body.age, size: body.upload?.length }),
          }),
          echo('/own', { schema: { body: person } }),
          echo('/small', {
            config: { multipartOptions: { limits: { fileSize: 10 } } },
            handler: ({ body }) => ({ size: body.upload.length }),
          }),
        ],
      }),
    },
    (app) => {
      it('validates and coerces the fields by a body schema that lists the media type in "consumes"', async () => {
        const { body } = await app.ask('/person', upload(['name', 'Ada'], ['age', '36'], ['upload', 'bytes', 'x.txt']))
        assert.deepEqual(body, { name: 'Ada', age: 36, size: 5 })
        assert.equal((await app.ask('/person', upload(['age', '36']))).status, 400)
      })
      it('validates and coerces the fields by a body schema of the context that the plugin is registered in', async () => {
        const { body } = await app.ask('/own', upload(['name', 'Ada'], ['age', '36']))
        assert.deepEqual(body, { body: { name: 'Ada', age: 36 } })
        assert.equal((await app.ask('/own', upload(['age', '36']))).status, 400)
      })
      // Version 8 does not read them.
      if (name === 'multipart4') return
      it('honours limits that the route sets in its config', async () => {
        assert.equal((await app.ask('/small', upload(['upload', '12345', 'x.txt']))).status, 200)
        assert.equal((await app.ask('/small', upload(['upload', 'x'.repeat(50), 'x.txt']))).status, 413)
      })
    },
  )
}

describe(subjectTitle('@fastify/multipart', 'a shared schema for files'), () => {
  eachFace((face, start) =>
    describe(face, () => {
      const app = new Running()
      before(() =>
        app.start(start, {
          plugins: [[multipart5, { attachFieldsToBody: true, sharedSchemaId: '#fileField' }]],
          routes: [
            echo('/upload', {
              schema: {
                consumes: ['multipart/form-data'],
                body: { type: 'object', required: ['upload'], properties: { upload: { $ref: '#fileField' } } },
              },
              handler: async ({ body }) => ({ text: (await body.upload.toBuffer()).toString() }),
            }),
          ],
        }),
      )
      after(() => app.close())
      it('is referred to by the schemas of routes, and is not visible in a sibling context', async () => {
        assert.deepEqual((await app.ask('/upload', upload(['upload', 'bytes', 'x.txt']))).body, { text: 'bytes' })
        assert.equal((await app.ask('/upload', upload(['other', 'bytes', 'x.txt']))).status, 400)
        assert.ok(app.home.getSchema('#fileField'))
        assert.equal(app.sibling.getSchema('#fileField'), undefined)
      })
    }),
  )
})
