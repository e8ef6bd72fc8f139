/** The code of the pages in docs/how-to, over real sockets. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { bootstrap, type BootstrappedServer, type Class, Plugin, type Server, type ServerOptions, use } from 'alcove'
import { clientFile, openapi } from 'alcove/contract'
import { parseAllDocuments } from 'yaml'
import { App as KeyApp } from '../../samples/how-to/api-key.js'
import { PicturePlugin } from '../../samples/how-to/bytes.js'
import { ReportsPlugin } from '../../samples/how-to/downloads.js'
import { OwnShapeApp, ProblemApp } from '../../samples/how-to/error-responses.js'
import { App as LoggingApp, options as loggingOptions } from '../../samples/how-to/logging.js'
import { App as TenantApp } from '../../samples/how-to/plugin.js'
import { App as ValidationApp, options as validationOptions } from '../../samples/how-to/validation.js'
import { HeaderApp, PrefixApp, startDated } from '../../samples/how-to/versions.js'
import { project } from '../fixtures/project.js'

type Ask = (path: string, options?: RequestInit) => Promise<{ status: number; headers: Headers; text: string; body: any }>

async function listen(server: Server, use: (ask: Ask, origin: string) => Promise<void>): Promise<void> {
  try {
    const origin = await server.listen({ port: 0, host: '127.0.0.1' })
    await use(async (path, options) => {
      const response = await fetch(origin + path, options)
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json')
      return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text }
    }, origin)
  } finally {
    await server.close()
  }
}

const withApp = async (App: Class, use: (ask: Ask, origin: string) => Promise<void>, options: ServerOptions = {}): Promise<void> =>
  listen(await bootstrap(App, { closeIdleDelay: 0, ...options }), use)

const json = (body: unknown, method = 'POST'): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})

describe('validation', () => {
  const user = { email: 'ada@example.com', password: 'a long password', repeated: 'a long password' }

  test('refinements of Zod hold, and its bodies are not coerced', () =>
    withApp(ValidationApp, async (ask) => {
      assert.deepEqual((await ask('/zod/users', json({ ...user, age: 30 }))).body, { email: user.email, age: 30 })
      const differs = await ask('/zod/users', json({ ...user, repeated: 'another one' }))
      assert.deepEqual([differs.status, differs.body.message], [400, 'body/repeated is not the password'])
      assert.equal((await ask('/zod/users', json({ ...user, age: '30' }))).status, 400)
    }))

  test('query strings are coerced and defaults filled in by TypeBox', () =>
    withApp(ValidationApp, async (ask) => {
      assert.deepEqual((await ask('/typebox/products?q=tea')).body, { q: 'tea', page: 1, sort: 'name' })
      assert.deepEqual((await ask('/typebox/products?q=tea&page=2&sort=price')).body, { q: 'tea', page: 2, sort: 'price' })
      assert.equal((await ask('/typebox/products?q=tea&page=two')).status, 400)
    }))

  test('cookies are coerced and defaults filled in, and those of other applications are removed', () =>
    withApp(ValidationApp, async (ask) => {
      const get = (cookie: string) => ask('/cookies/products', { headers: { cookie } })
      assert.deepEqual((await get('perPage=50; _ga=GA1.1; theme=dark')).body, { theme: 'dark', perPage: 50 })
      assert.deepEqual((await get('_ga=GA1.1')).body, { theme: 'light', perPage: 20 })
      const { status, body } = await get('perPage=1000')
      assert.deepEqual([status, body.message], [400, 'cookies/perPage should be <= 100'])
    }))

  test('bodies of the strict plugin are not coerced, and an option of the server reports all faults', () =>
    withApp(
      ValidationApp,
      async (ask) => {
        const { status, body } = await ask('/strict/items', json({ price: '3' }))
        assert.deepEqual([status, body.message], [400, "body should have required property 'name', body/price should be integer"])
        assert.deepEqual((await ask('/strict/items', json({ name: 'tea', price: 3 }))).body, { name: 'tea', price: 3 })
      },
      validationOptions,
    ))
})

describe('error responses', () => {
  test('problem details have the members of the class of the error', () =>
    withApp(ProblemApp, async (ask) => {
      const { status, headers, body } = await ask('/products/TEA-9')
      assert.deepEqual([status, headers.get('content-type')], [404, 'application/problem+json; charset=utf-8'])
      assert.deepEqual(body, {
        type: 'about:blank',
        title: 'Not Found',
        status: 404,
        detail: 'There is no such product',
        instance: '/products/TEA-9',
        sku: 'TEA-9',
      })
      const invalid = await ask('/products/tea')
      assert.deepEqual(invalid.body.errors, [{ pointer: '/sku', detail: 'should match pattern "^[A-Z]{3}-[0-9]+$"', part: 'params' }])
    }))

  test('one handler gives every error the shape of the company, that of unknown paths and of invalid requests too', () =>
    withApp(OwnShapeApp, async (ask) => {
      const errorOf = async (path: string, options?: RequestInit) => {
        const { status, body } = await ask(path, options)
        const { requestId, ...error } = body.error
        assert.match(requestId, /^req-/)
        return [status, error]
      }
      assert.deepEqual(await errorOf('/products/TEA-9'), [404, { code: 'HTTP_404', message: 'There is no such product' }])
      assert.deepEqual(await errorOf('/products/TEA-0'), [500, { code: 'HTTP_500', message: 'Something went wrong' }])
      assert.deepEqual(await errorOf('/nowhere'), [404, { code: 'NO_ROUTE', message: 'There is no GET /nowhere' }])
      assert.deepEqual(await errorOf('/products/tea'), [
        422,
        {
          code: 'ALC_ERR_VALIDATION',
          message: 'The request is invalid',
          fields: { 'params/sku': 'must match pattern "^[A-Z]{3}-[0-9]+$"' },
        },
      ])
    }))
})

test('log lines of a request have its id, those of a provider of the application have none, and secrets are left out', async () => {
  const lines: any[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const server: BootstrappedServer = await bootstrap(LoggingApp, { ...loggingOptions, logger: { ...loggingOptions.logger, stream } })
  await listen(server, async (ask) => {
    await ask('/reminders/ada', { headers: { authorization: 'Bearer secret' } })
    server.log.info({ user: { name: 'ada', password: 'secret' } }, 'a user')
  })
  const lineOf = (message: string) => lines.find(({ msg }) => msg === message)
  const id = lineOf('reminding').requestId
  assert.match(id, /^[\da-f-]{36}$/)
  assert.deepEqual([lineOf('recorded').requestId, lineOf('recorded').module], [id, 'audit'])
  assert.equal(lineOf('mail sent').requestId, undefined)
  assert.ok(!JSON.stringify(lines).includes('secret'))
  assert.equal(lineOf('a user').user.password, '[Redacted]')
})

test('a key names the client, and the document of the application says which routes need one', () =>
  withApp(KeyApp, async (ask) => {
    assert.deepEqual((await ask('/usage', { headers: { 'x-api-key': 'demo-key' } })).body, { client: 'demo' })
    assert.equal((await ask('/usage', { headers: { 'x-api-key': 'demo-kez' } })).status, 401)
    assert.equal((await ask('/usage')).status, 401)
    const { paths } = openapi(KeyApp, { info: { title: 'Keys', version: '1.0.0' } }) as any
    assert.deepEqual(paths['/usage'].get.security, [{ apiKey: [] }])
  }))

test('bytes that a schema describes are accepted and sent', () =>
  withApp(PicturePlugin, async (ask) => {
    const put = (body: Uint8Array<ArrayBuffer>) => ask('/picture', { method: 'PUT', headers: { 'content-type': 'image/png' }, body })
    assert.deepEqual((await put(new Uint8Array([137, 80]))).body, { size: 2 })
    const { text, headers } = await ask('/picture')
    assert.deepEqual([text.length, headers.get('content-type')], [2, 'application/octet-stream'])
    assert.deepEqual((await put(new Uint8Array(1_000_001))).status, 400)
    const { paths } = openapi(PicturePlugin, { info: { title: 'Pictures', version: '1.0.0' } }) as any
    assert.deepEqual(paths['/picture'].put.requestBody.content, { 'image/png': { schema: { maxLength: 1_000_000 } } })
    assert.deepEqual(Object.keys(paths['/picture'].get.responses[200].content), ['application/octet-stream'])
  }))

describe('downloads', () => {
  async function withReports(use_: (ask: Ask) => Promise<void>): Promise<void> {
    const directory = await mkdtemp(join(tmpdir(), 'alcove-reports-'))
    await writeFile(join(directory, '2025.pdf'), 'A good year.')
    @Plugin({ imports: [use(ReportsPlugin, { directory })] })
    class App {}
    await withApp(App, use_)
  }

  test('a file has its length and its name', () =>
    withReports(async (ask) => {
      const { status, headers, text } = await ask('/reports/2025')
      assert.deepEqual([status, text], [200, 'A good year.'])
      assert.deepEqual(
        [headers.get('content-length'), headers.get('content-disposition')],
        [String(text.length), 'attachment; filename="report-2025.pdf"'],
      )
      assert.equal((await ask('/reports/2024')).status, 404)
      assert.equal((await ask('/reports/1999')).status, 400)
    }))

  test('rows are sent as they are made', () =>
    withReports(async (ask) => {
      const { text } = await ask('/reports/2025/rows')
      assert.ok(text.startsWith('day,visits\n2025-1,3\n2025-2,6\n'))
      assert.equal(text.split('\n').length, 367)
    }))
})

describe('versions', () => {
  test('a prefix names the version', () =>
    withApp(PrefixApp, async (ask) => {
      assert.deepEqual((await ask('/v1/price')).body, { price: 19.99 })
      assert.deepEqual((await ask('/v2/price')).body, { amount: 1999, currency: 'EUR' })
    }))

  test('a controller that stands in both versions is described and called under the name of each', () =>
    withApp(PrefixApp, async (ask) => {
      for (const version of ['v1', 'v2']) assert.deepEqual((await ask(`/${version}/hours`)).body, { from: 9, to: 17 })
      const { paths } = openapi(PrefixApp, { info: { title: 'Shop', version: '1.0.0' } })
      assert.deepEqual(
        Object.values<any>(paths).map(({ get }) => get.operationId),
        ['priceV1Show', 'apiV1HoursList', 'priceV2Show', 'apiV2HoursList'],
      )
      assert.match(clientFile(PrefixApp), /apiV1Hours: \{[^]*apiV2Hours: \{/)
    }))

  test('a header names the version, or a range of versions', () =>
    withApp(HeaderApp, async (ask) => {
      const stock = async (version: string) => {
        const { status, body } = await ask('/stock', { headers: { 'accept-version': version } })
        return status === 200 ? body : status
      }
      assert.deepEqual([await stock('1.x'), await stock('2.0.0')], [{ left: 3 }, { left: 3, reserved: 1 }])
      assert.deepEqual([await stock('3.x'), (await ask('/stock')).status], [404, 404])
    }))

  test('a strategy of the application names the version', async () =>
    listen(await startDated(), async (ask) => {
      assert.deepEqual((await ask('/orders', { headers: { 'x-api-version': '2024-06-01' } })).body, { orders: [] })
      assert.deepEqual((await ask('/orders')).body, [])
    }))
})

describe('plugins', () => {
  test('a plugin class adds its decorator, its provider and its hook to the plugin that imports it', () =>
    withApp(TenantApp, async (_ask, origin) => {
      const ask = async (host: string) => {
        const request = httpRequest(`${origin}/welcome`, { headers: { host }, agent: false }).end()
        const [response] = await once(request, 'response')
        return [response.statusCode, (await response.toArray()).join('')]
      }
      assert.deepEqual(await ask('a.example'), [200, '{"welcome":"Anna"}'])
      assert.equal((await ask('b.example'))[0], 404)
    }))
})

describe('the files for Kubernetes and systemd', () => {
  const read = (path: string): string => readFileSync(join(project, path), 'utf8')
  const [deployment, service] = parseAllDocuments(read('samples/how-to/kubernetes.yaml')).map((document) => document.toJS())
  const { spec } = deployment.spec.template
  const [container] = spec.containers
  const environment = Object.fromEntries(container.env.map(({ name, value }: { name: string; value: string }) => [name, value]))

  const variablesOf = (names: string[]): string[] => names.filter((name) => !name.startsWith('NODE_'))
  const unit = read('samples/how-to/shop.service')
  const [, assignments] = /^Environment=(.*)$/m.exec(unit)!
  const unitVariables = assignments!.split(' ').map((assignment) => assignment.split('=')[0]!)

  test('set only variables that the settings of a new API know; the pod listens to all addresses', () => {
    const settings = read('templates/api/src/settings.ts')
    for (const name of variablesOf([...Object.keys(environment), ...unitVariables]))
      assert.match(settings, new RegExp(`^ {4}${name}: `, 'm'))
    assert.deepEqual([environment.HOST, environment.PORT], ['0.0.0.0', String(container.ports[0].containerPort)])
    assert.equal(service.spec.ports[0].targetPort, container.ports[0].name)
  })

  test('give a process more time to end than it takes at most', () => {
    const [, timeout] = /timeout: ([\d_]+)/.exec(read('templates/api/src/main.ts'))!
    const needed = (Number(environment.SHUTDOWN_DELAY) + Number(timeout!.replaceAll('_', ''))) / 1000
    assert.ok(spec.terminationGracePeriodSeconds > needed)
    assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]) > Number(timeout!.replaceAll('_', '')) / 1000)
    assert.ok(Number(environment.SHUTDOWN_DELAY) / 1000 >= 2 * container.readinessProbe.periodSeconds)
  })

  test('ask the routes for health that a new API has', () => {
    const health = read('templates/api/src/health.ts')
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      const [, prefix, path] = /^(\/health)(\/\w+)$/.exec(container[probe].httpGet.path)!
      assert.ok(health.includes(`'${prefix}'`) && health.includes(`'${path}'`))
    }
  })
})
