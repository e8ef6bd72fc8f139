import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import {
  Controller,
  Get,
  Hook,
  Plugin,
  Post,
  probe,
  ProbeError,
  type ProbeOptions,
  type ProbeReport,
  type Reply,
  type RouteRequest,
  Schema,
  testServer,
} from 'alcove'
import { Planted } from '../../fixtures/planted-faults.js'

const settings = { timeout: 500, slowerThan: 100, requests: 150, headers: { authorization: 'Bearer right' } } as const

/** Returns the report of a probe, whether it has found something or not. */
async function reportOf(App: Parameters<typeof probe>[0], options: ProbeOptions = {}): Promise<ProbeReport> {
  return probe(App, options).catch((error: unknown) => {
    if (error instanceof ProbeError) return error.report
    throw error
  })
}

describe('planted faults', () => {
  let report: ProbeReport
  before(async () => {
    report = await reportOf(Planted, settings)
  })

  const planted = [
    ['a guard that runs after the body is read', 'POST /late', 'guard', /body never ends is answered with 413/],
    ['a reply outside its schema', 'GET /faults/outside', 'reply', /body\/size must be >= 1/],
    ['an undeclared 409', 'GET /faults/undeclared/:id', 'undeclared', /the reply 409 is not described/],
    ['an undeclared success status', 'POST /faults/undeclared-success', 'undeclared', /the reply 202 is not described/],
    ['a handler that hangs, by its name', 'GET /faults/hang', 'hang', /within 500 ms: Planted > Faults\.hang sends no reply/],
    ['a 500 on an empty list', 'POST /faults/empty-list', 'failure', /answers 500: TypeError: Cannot read properties of undefined/],
    ['a 500 on a very long text', 'POST /faults/long-text', 'failure', /answers 500: RangeError: the buffer is full/],
    ['a crash on a name that objects inherit', 'POST /faults/poison', 'failure', /answers 500: TypeError: .*push is not a function/],
    ['a stack trace in a reply', 'GET /faults/leak', 'leak', /shows a stack trace to the client: at Faults\.leak/],
    ['a slow route', 'GET /faults/slow', 'slow', /answers after \d+ ms, which is more than 100 ms/],
  ] as const
  for (const [title, route, kind, message] of planted)
    test(`finds ${title}`, () => {
      const found = report.findings.filter((finding) => finding.route === route)
      assert.deepEqual(
        found.map((finding) => [finding.kind, finding.isReproduced]),
        [[kind, true]],
      )
      assert.match(found[0]!.message, message)
    })

  test('finds nothing else: not in a route whose guard runs first, and not in a login whose handler answers 401', () => {
    assert.equal(report.findings.length, planted.length, String(report))
    assert.deepEqual(report.unreached, [])
  })

  test('makes requests smaller', () => {
    const requestOf = (route: string) => {
      const { url, payload } = report.findings.find((finding) => finding.route === route)!.request
      return [url, payload]
    }
    assert.deepEqual(requestOf('POST /faults/empty-list'), ['/faults/empty-list', '{"tags":[]}'])
    assert.deepEqual(requestOf('GET /faults/outside'), ['/faults/outside?page=0', undefined])
    const [, long] = requestOf('POST /faults/long-text')
    assert.ok(String(long).length < 5100, `${String(long).length} characters show what 5001 would`)
  })

  test('prints tests that fail as long as the faults are there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'alcove-probe-'))
    try {
      const urlOf = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
      // The printed tests have a type, which JavaScript does not.
      const tests = report.findings.map((finding) => finding.test.replace('<undefined>', ''))
      const file = join(folder, 'found.test.mjs')
      const imports = [
        `import assert from 'node:assert/strict'`,
        `import { Readable } from 'node:stream'`,
        `import { test } from 'node:test'`,
        `import { testServer } from ${urlOf('../../../decorators/index.js')}`,
        `import { Planted } from ${urlOf('../../fixtures/planted-faults.js')}`,
      ]
      writeFileSync(file, [...imports, ...tests.map((text) => text.replaceAll('await using app', 'const app'))].join('\n'))
      const { stdout } = spawnSync(process.execPath, ['--test', '--test-force-exit', '--test-reporter=tap', pathToFileURL(file).pathname], {
        encoding: 'utf8',
        env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      })
      assert.match(stdout, new RegExp(`\\n# tests ${planted.length}\\n`), stdout)
      assert.match(stdout, new RegExp(`\\n# fail ${planted.length}\\n`), stdout)
      assert.doesNotMatch(stdout, /SyntaxError|ReferenceError/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('has a title for each test that says what the request is', () => {
    const titles = report.findings.map((finding) => /^test\('(.*)', async/.exec(finding.test)?.[1])
    assert.ok(titles.includes('POST /faults/empty-list does not answer 500 to an empty list as tags'), titles.join('\n'))
    assert.ok(titles.includes('GET /faults/hang answers the value 0 as the query parameter page'), titles.join('\n'))
  })
})

test('finds a JSON body outside its schema that a handler returns as a Response', async () => {
  @Controller('/')
  class Counts {
    @Get('/')
    @Schema({
      response: { 200: { content: { 'application/json': { schema: { type: 'object', properties: { n: { type: 'integer' } } } } } } },
    })
    read(): any {
      return Response.json({ n: 'many' })
    }
  }
  @Plugin({ routes: [Counts] })
  class Counting {}
  const { findings } = await reportOf(Counting, { requests: 5 })
  assert.deepEqual(
    findings.map(({ route, kind }) => [route, kind]),
    [['GET /', 'reply']],
  )
  assert.match(findings[0]!.message, /body\/n must be integer/)
})

const note = { body: { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1 } } } } as const
const find = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } } as const

/** The bodies that reached a handler, and the ids that were found. */
const received: unknown[] = []
const found = new Set<number>()

@Controller('/notes')
class Notes {
  #last = 1_000_000
  @Post('/', note)
  add({ body }: RouteRequest<typeof note>) {
    received.push(body)
    return { id: ++this.#last, ...body }
  }
  @Get('/:id', find)
  find({ params: { id } }: RouteRequest<typeof find>, reply: Reply): any {
    if (id <= 1_000_000 || id > this.#last) return reply.callNotFound()
    found.add(id)
    return { id }
  }
}

@Plugin({ routes: [Notes] })
class App {}

describe('requests', () => {
  test('are the same with the same seed, and others with another', async () => {
    const bodiesOf = async (seed: number) => {
      received.length = 0
      await probe(App, { seed, requests: 60 })
      return JSON.stringify(received)
    }
    const first = await bodiesOf(1)
    assert.equal(await bodiesOf(1), first)
    assert.notEqual(await bodiesOf(2), first)
  })

  test('ask for what earlier requests have made', async () => {
    found.clear()
    await probe(App, { requests: 60 })
    assert.ok(found.size > 0, 'a note was found by an id that no schema names')
  })

  test('go only to the routes that are named', async () => {
    received.length = 0
    const { routes, sent } = await probe(App, { routes: ['GET /notes/**'], requests: 10 })
    assert.deepEqual([routes, sent, received.length], [1, 10, 0])
  })

  test('go to a server that the test has made, too', async () => {
    await using app = await testServer(App)
    const { findings, sent } = await probe(app, { requests: 10 })
    assert.deepEqual(findings, [])
    assert.ok(sent >= 20)
  })
})

describe('credentials and remarks', () => {
  test('authenticate logs in once for each server', async () => {
    let logins = 0
    const authenticate = async () => {
      logins++
      return { authorization: 'Bearer right' }
    }
    const { unreached } = await probe(Planted, { routes: ['/early'], requests: 30, authenticate })
    assert.deepEqual([logins, unreached], [1, []])
  })

  test('a route that no request has reached is named', async () => {
    const report = await probe(Planted, { routes: ['/early'], requests: 30 })
    assert.deepEqual(report.unreached, ['POST /early'])
    assert.match(String(report), /No request reached the handlers of POST \/early\. Give credentials/)
  })

  test('a route whose handler was called counts as reached, also if it sends no reply or cuts the connection', async () => {
    @Controller()
    class Silent {
      @Get('/hang')
      hang(_: unknown, _reply: Reply) {}
      @Get('/cut')
      cut(_: unknown, reply: Reply) {
        reply.hijack()
        reply.raw.destroy()
      }
    }
    class Guard {
      onRequest(): Promise<void> {
        return new Promise(() => {})
      }
    }
    @Controller('/guarded')
    @Hook('onRequest', Guard)
    class Guarded {
      @Get()
      get() {}
    }
    @Plugin({ routes: [Silent, Guarded] })
    class App {}
    const report = await reportOf(App, { timeout: 100, requests: 2 })
    assert.deepEqual(report.unreached, ['GET /guarded'])
  })

  test('what is accepted is not reported', async () => {
    const accept: ProbeOptions['accept'] = ({ kind, route }) => kind === 'failure' && route === 'POST /faults/empty-list'
    assert.deepEqual((await probe(Planted, { routes: ['/faults/empty-list'], accept })).findings, [])
  })

  test('a fault that takes earlier requests is found, and the report says so', async () => {
    @Controller('/count')
    class Counter {
      #count = 0
      @Get('/')
      count() {
        if (++this.#count > 20) throw new Error('too many')
        return { count: this.#count }
      }
    }
    @Plugin({ routes: [Counter] })
    class Counting {}
    const { findings, ...report } = await reportOf(Counting)
    assert.deepEqual(
      findings.map(({ kind, isReproduced }) => [kind, isReproduced]),
      [['failure', false]],
    )
    assert.match(String(report), /It takes earlier requests of the probe/)
  })
})

describe('wrong options', () => {
  const wrong = [
    [{ request: 5 }, "probe has no option 'request'. Did you mean 'requests'?"],
    [{ requests: 0 }, 'probe has 0 as requests. Write a whole number from 1 on.'],
    [{ headers: { a: 1 } }, /as headers\. Write an object of texts/],
    [
      { routes: ['/nots'] },
      "probe has the pattern '/nots' in routes, which no route matches. Its routes are: POST /notes, GET /notes/:id.",
    ],
  ] as const
  for (const [options, message] of wrong)
    test(`${JSON.stringify(options)} is refused`, () => assert.rejects(probe(App, options as any), { name: 'TypeError', message }))

  test('options of testServer are refused for a server that exists', async () => {
    await using app = await testServer(App)
    await assert.rejects(probe(app, { override: [] }), { message: /Write override in the options of testServer/ })
  })

  test('neither a class nor a server is refused', () =>
    assert.rejects(probe(undefined as any), { message: /probe has undefined .* to probe\. Write probe\(App\)/ }))
})
