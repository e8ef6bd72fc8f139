/** `schemas/explain.json` describes what `explain` returns for every sample, with all its members. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bootstrap, type Class, createServer, explain, Plugin, type Server, testServer, use } from 'alcove'
import { App as FromFastify, TenantApp } from '../../samples/coming-from/fastify.js'
import { App as FromNest } from '../../samples/coming-from/nest.js'
import { App as Configured, Settings } from '../../samples/configuration/app.js'
import { App as Contexts, SharingApp } from '../../samples/contexts/app.js'
import { App as Contracted } from '../../samples/contract/app.js'
import { App as Events } from '../../samples/events/app.js'
import { App as First } from '../../samples/first/app.js'
import { App as Models } from '../../samples/models/app.js'
import { App as Roles } from '../../samples/roles/app.js'
import { App as Scheduler } from '../../samples/scheduler/app.js'
import { UploadPlugin } from '../../samples/upload/app.js'
import { validatorOf } from '../fixtures/json-documents.js'

const validate = validatorOf('explain')
@Plugin({ imports: [use(UploadPlugin, { directory: '/nonexistent/alcove', limit: 1000 })] })
class Upload {}

const samples: Readonly<Record<string, Class>> = {
  FromFastify,
  TenantApp,
  FromNest,
  Contexts,
  SharingApp,
  Contracted,
  Events,
  First,
  Models,
  Roles,
  Scheduler,
  Upload,
}

describe('the JSON of explain is of its schema, and has no member that the schema does not describe:', () => {
  const proves = async (server: Server): Promise<void> => {
    try {
      await server.ready()
      const document = JSON.parse(JSON.stringify(explain(server))) as { version: number; routes: object[] }
      assert.equal(document.version, 1)
      validate(document)
    } finally {
      await server.close()
    }
  }
  for (const [name, App] of Object.entries(samples)) test(name, async () => proves(await bootstrap(App)))

  test('Configured', async () => {
    const settings = new Settings({ DATABASE_URL: 'https://a.example', GREETING: 'hello' })
    await proves((await testServer(Configured, { override: [[Settings, settings]] })).server)
  })

  test('a server without classes', async () => {
    const server = createServer()
    server.get('/', { constraints: { version: '1.0.0' }, schemaErrorFormatter: () => new Error('no') }, () => 'x')
    server.setNotFoundHandler(() => 'nothing')
    server.addContentTypeParser('text/csv', { parseAs: 'string' }, async (_request: unknown, body: string) => body.split(','))
    await proves(server)
  })
})

test('alcove explain --json prints this document, or one route with the version; a log of the server is not between', async () => {
  const cli = fileURLToPath(new URL('../../decorators/cli.js', import.meta.url))
  const contexts = fileURLToPath(new URL('../../samples/contexts/app.js', import.meta.url))
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, [cli, 'explain', contexts, '--json'])
  const document = JSON.parse(stdout) as { routes: { url: string }[] }
  validate(document)
  const two = JSON.parse((await run(process.execPath, [cli, 'explain', contexts, '/two', '--json'])).stdout) as object
  assert.deepEqual(two, { version: 1, ...document.routes.find(({ url }) => url === '/two') })

  const file = join(mkdtempSync(join(tmpdir(), 'alcove-explain-')), 'logging.mjs')
  const index = JSON.stringify(new URL('../../decorators/index.js', import.meta.url).href)
  const setup = `setup(server) { server.log.info('booting'); console.log('as well') }`
  writeFileSync(
    file,
    `import { Plugin } from ${index}\nexport class App { ${setup} }\nPlugin({})(App)\nexport const options = { logger: true }`,
  )
  const logging = await run(process.execPath, [cli, 'explain', file, '--json'])
  validate(JSON.parse(logging.stdout))
  assert.match(logging.stderr, /"msg":"booting"[^]*as well|as well[^]*"msg":"booting"/)
  rmSync(dirname(file), { recursive: true })
})
