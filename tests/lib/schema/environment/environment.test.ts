/** Configuration from environment variables: what an instance has, what is reported, and what stays secret. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import { z } from 'zod'
import { bootstrap, check, environment, type EnvironmentVariables, factory, Plugin, testServer, token } from 'alcove'
import { createServer, type StandardSchema } from 'alcove/lib'
import { appOf, plugin, resolveFrom } from '../../../fixtures/applications.js'

class Settings extends environment({
  type: 'object',
  required: ['DATABASE_URL'],
  properties: {
    PORT: { type: 'integer', minimum: 0, maximum: 65_535, default: 3000 },
    DEBUG: { type: 'boolean', default: false },
    LEVEL: { type: 'string', enum: ['info', 'debug'] },
    DATABASE_URL: { type: 'string', format: 'uri', writeOnly: true },
  },
}) {}

const url = 'postgres://ada:hunter2@localhost/shop'

/** Reads variables, without a use of the result. */
function read(Class: new (variables: EnvironmentVariables) => object, variables: EnvironmentVariables): void {
  Object.keys(new Class(variables))
}

/** The problems that are reported, without the lines around them. */
function problemsOf(Class: new (variables: EnvironmentVariables) => object, variables: EnvironmentVariables): string[] {
  try {
    read(Class, variables)
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    assert.equal(code, 'ALC_ERR_ENVIRONMENT_INVALID')
    return message
      .split('\n')
      .slice(1, -1)
      .map((line) => line.replace(/^ {2}- .*? \(\w+\) /, ''))
  }
  return []
}

describe('an instance', () => {
  test('has the variables of the schema with their types and defaults, and no others', () => {
    const settings = new Settings({ DATABASE_URL: url, PORT: '8080', DEBUG: 'true', HOME: '/root' })
    assert.deepEqual(Object.fromEntries(Object.entries(settings)), { PORT: 8080, DEBUG: true })
    assert.equal(settings.DATABASE_URL, url)
    const { PORT, DEBUG, LEVEL } = new Settings({ DATABASE_URL: url })
    assert.deepEqual([PORT, DEBUG, LEVEL], [3000, false, undefined])
  })

  test('reads the environment of the process if it is given no other', () => {
    class Path extends environment({ PATH: { type: 'string' } }) {}
    assert.equal(new Path().PATH, process.env['PATH'])
  })

  test('takes an empty variable for one that is not set', () => {
    assert.equal(new Settings({ DATABASE_URL: url, PORT: '', LEVEL: '' }).PORT, 3000)
    assert.deepEqual(problemsOf(Settings, { DATABASE_URL: '' }), ['is missing. It must be a text of the format uri.'])
  })

  test('does not change what it was given, and cannot be changed', () => {
    const given = { DATABASE_URL: url, PORT: '8080' }
    const settings = new Settings(given)
    assert.equal(given.PORT, '8080')
    assert.throws(() => Object.assign(settings, { PORT: 1 }), TypeError)
  })

  test('may have members of its own', () => {
    class WithMembers extends environment({ HOST: { type: 'string', default: 'localhost' }, PORT: { type: 'integer', default: 80 } }) {
      readonly started = 1
      get origin() {
        return `http://${this.HOST}:${this.PORT}`
      }
    }
    const { origin, started } = new WithMembers({})
    assert.deepEqual([origin, started], ['http://localhost:80', 1])
  })

  test('shows no secret in a log', () => {
    const settings = new Settings({ DATABASE_URL: url })
    for (const text of [JSON.stringify({ settings }), inspect({ settings }), inspect(settings, { depth: 0 })]) {
      assert.ok(text.includes('[secret]') && text.includes('3000') && !text.includes('hunter2'), text)
    }
    const lines: string[] = []
    const server = createServer({ logger: { stream: { write: (line: string) => void lines.push(line) } } })
    server.log.info({ settings }, 'started')
    assert.deepEqual(JSON.parse(lines[0]!).settings, { PORT: 3000, DEBUG: false, DATABASE_URL: '[secret]' })
  })

  test('shows no secret if it is logged as the values of a line, or copied', () => {
    const settings = new Settings({ DATABASE_URL: url })
    const lines: string[] = []
    const server = createServer({ logger: { stream: { write: (line: string) => void lines.push(line) } } })
    server.log.info(settings, 'started')
    assert.ok(lines[0]!.includes('3000') && !lines[0]!.includes('hunter2'), lines[0])
    assert.deepEqual(Object.assign({}, settings), { PORT: 3000, DEBUG: false })
    assert.equal(settings.DATABASE_URL, url)
  })
})

test('what a transformation makes of the variables is secret if one of them is', () => {
  const schema = z.object({ DATABASE_URL: z.string().meta({ writeOnly: true }), PORT: z.string() })
  class Renamed extends environment(schema.transform((read) => ({ database: { url: read.DATABASE_URL }, PORT: Number(read.PORT) }))) {
    readonly started = 1
  }
  const settings = new Renamed({ DATABASE_URL: url, PORT: '3000' })
  assert.deepEqual([settings.database.url, Object.assign({}, settings)], [url, { PORT: 3000, started: 1 }])
  assert.deepEqual(JSON.parse(JSON.stringify(settings)), { database: '[secret]', PORT: 3000, started: 1 })
  assert.ok(!inspect(settings, { showHidden: true }).includes('hunter2'))

  class Open extends environment(z.object({ PORT: z.string() }).transform(({ PORT }) => ({ port: Number(PORT) }))) {}
  assert.deepEqual(Object.assign({}, new Open({ PORT: '80' })), { port: 80 })
})

describe('a report', () => {
  test('lists everything that is missing or invalid, with the name of the class, and says what it must be', () => {
    assert.throws(() => new Settings({ PORT: 'http', DEBUG: 'yes', LEVEL: 'verbose' }), {
      code: 'ALC_ERR_ENVIRONMENT_INVALID',
      message: [
        'The environment has 4 faults:',
        '  - DATABASE_URL (Settings) is missing. It must be a text of the format uri.',
        '  - PORT (Settings) must be a whole number from 0 to 65535.',
        '  - DEBUG (Settings) must be true or false.',
        '  - LEVEL (Settings) must be one of info, debug.',
        'Set the variables in the environment of the process, or in a file for node --env-file=<file>.',
      ].join('\n'),
    })
  })

  test('has no value of a variable, and no stack', () => {
    try {
      read(Settings, { DATABASE_URL: 'hunter2', PORT: 'hunter2', LEVEL: 'hunter2' })
      assert.fail('it is invalid')
    } catch (error) {
      assert.doesNotMatch(inspect(error), /hunter2|\n {4}at /)
    }
  })

  test('names a variable that is set and probably meant', () => {
    assert.deepEqual(problemsOf(Settings, { DATABSE_URL: url, PATH: '/bin' }), [
      'is missing. It must be a text of the format uri. DATABSE_URL is set: is its name misspelt?',
    ])
  })

  test('does not take an empty variable for a misspelt one, if the library does not tell the names', () => {
    const nothing: StandardSchema = {
      '~standard': { version: 1, vendor: 'own', validate: () => ({ issues: [{ path: ['KEY'], message: 'no' }] }) },
    }
    class Unnamed extends environment(nothing) {}
    assert.deepEqual(problemsOf(Unnamed, { KEY: '' }), ['is missing.'])
  })

  test('has one line for a variable with several faults', () => {
    class Strict extends environment({ KEY: { type: 'string', minLength: 32, pattern: '^[a-f0-9]+$' } }) {}
    assert.deepEqual(problemsOf(Strict, { KEY: 'x' }), ['must be a text of at least 32 characters that matches ^[a-f0-9]+$.'])
  })

  test('says the pattern that a value does not match, also beside a description', () => {
    class Described extends environment({ KEY: { type: 'string', minLength: 5, pattern: '^a', description: 'of the bank' } }) {}
    assert.deepEqual(problemsOf(Described, { KEY: 'bcdefg' }), ['must be a text of at least 5 characters that matches ^a (of the bank).'])
    assert.deepEqual(problemsOf(Described, {}), [])
  })

  test('says which variable a condition asks for, and not that there is one', () => {
    class Conditional extends environment({
      type: 'object',
      properties: { MODE: { type: 'string', default: 'development' }, KEY: { type: 'string' }, PORT: { type: 'integer' } },
      if: { required: ['MODE'], properties: { MODE: { const: 'production' } } },
      then: { required: ['KEY'] },
    }) {}
    assert.equal(new Conditional({ PORT: '1' }).PORT, 1)
    assert.deepEqual(problemsOf(Conditional, { MODE: 'production' }), ['is missing. It must be a text.'])
  })

  test('says what is wrong with several variables together', () => {
    class Either extends environment({
      type: 'object',
      properties: { FILE: { type: 'string' }, URL: { type: 'string' } },
      minProperties: 1,
    }) {}
    assert.deepEqual(problemsOf(Either, {}), ['is invalid: must NOT have fewer than 1 properties.'])
  })
})

describe('the schema', () => {
  test('may be one of a library, with its checks and transformations', () => {
    class OfZod extends environment(
      z.object({
        PORT: z.number().int().default(3000),
        ORIGINS: z.string().transform((text) => text.split(',')),
        KEY: z.string().refine((text) => text !== 'secret', 'is the one of the manual'),
      }),
    ) {}
    const { PORT, ORIGINS } = new OfZod({ PORT: '80', ORIGINS: 'a,b', KEY: 'own', HOME: '/root' })
    assert.deepEqual([PORT, ORIGINS], [80, ['a', 'b']])
    assert.deepEqual(problemsOf(OfZod, { PORT: 'x', KEY: 'secret' }), [
      'is invalid: Invalid input: expected number, received string.',
      'is missing. It must be a text.',
      'is invalid: is the one of the manual.',
    ])
  })

  test('may be one of a library that quotes what it has got: the report hides the value', () => {
    const quoting = (quote: (value: string) => string): StandardSchema => ({
      '~standard': {
        version: 1,
        vendor: 'quoting',
        validate: (given) => ({
          issues: Object.entries(given as Record<string, string>).map(([name, value]) => ({
            path: [name],
            message: `Expected an integer but received ${quote(value)}`,
          })),
        }),
      },
    })
    for (const quote of [JSON.stringify, (value: string) => `"${value}"`, (value: string) => `"${value.trim().toUpperCase()}"`]) {
      class Quoting extends environment(quoting(quote)) {}
      for (const KEY of ['hunter2', 'a "b" (c)', ' $& \\ /x/ ', 'line\nline', '7', 'é', '^[a-z]+?.{2}|*$']) {
        const [problem] = problemsOf(Quoting, { KEY })
        assert.match(problem ?? '', /^is invalid: Expected an integer but received " ?… ?"\.$/, KEY)
      }
    }
  })

  test('must be one of an object with variables, each of which is one text', () => {
    const refused: readonly [schema: object, message: RegExp][] = [
      [{}, /it names no variable/],
      [{ type: 'object', properties: {} }, /it names no variable/],
      [{ ORIGINS: { type: 'array', items: { type: 'string' } } }, /ORIGINS is a list or an object, .* Write type: 'string'/],
      [{ PORT: { type: 'integr' } }, /type must be/],
      [{ KEY: { type: 'string', secret: true } }, /unknown keyword: "secret"/],
      [{ PORT: { type: 'integer' }, KEY: z.string() }, /mixes schemas of a library/],
      [class {}, /is a function or a class/],
    ]
    for (const [schema, message] of refused)
      assert.throws(() => environment(schema), { code: 'ALC_ERR_ENVIRONMENT_SCHEMA_INVALID', message })
  })

  test('must be synchronous', () => {
    class Later extends environment(z.object({ KEY: z.string().refine(async () => true) })) {}
    assert.throws(() => new Later({ KEY: 'x' }), { code: 'ALC_ERR_ENVIRONMENT_SCHEMA_INVALID', message: /it is asynchronous/ })
  })
})

describe('as a provider', () => {
  const set = (variables: EnvironmentVariables): void => {
    for (const name of ['DATABASE_URL', 'MAIL_HOST']) delete process.env[name]
    Object.assign(process.env, variables)
  }

  test('the class is injected with what the process has, and in a test with what it is given', async () => {
    const URL_TOKEN = token<string>('URL')
    const providers = [Settings, factory(URL_TOKEN, [Settings], ({ DATABASE_URL }) => DATABASE_URL)]
    set({ DATABASE_URL: url })
    assert.equal(await resolveFrom(providers, URL_TOKEN), url)
    set({})
    await using app = await testServer(appOf(providers), { override: [[Settings, new Settings({ DATABASE_URL: 'postgres://test' })]] })
    assert.equal(app.resolve(URL_TOKEN), 'postgres://test')
  })

  test('the variables of all plugins are reported together, and nothing is constructed', async () => {
    class Mail extends environment({ type: 'object', required: ['MAIL_HOST'], properties: { MAIL_HOST: { type: 'string' } } }) {}
    class Never {
      constructor() {
        assert.fail('constructed')
      }
    }
    const MailPlugin = plugin('MailPlugin', { providers: [Mail], private: [Mail] })
    const App = plugin('App', { providers: [Never, Settings], imports: [MailPlugin] })
    set({})
    check(App)
    await assert.rejects(bootstrap(App), (error: Error) => {
      assert.deepEqual(error.message.split('\n').slice(0, 3), [
        'The environment has 2 faults:',
        '  - DATABASE_URL (App > Settings) is missing. It must be a text of the format uri.',
        '  - MAIL_HOST (App > MailPlugin > Mail) is missing. It must be a text.',
      ])
      return true
    })
  })

  test('a variable that another class reads is not taken for a misspelt one', async () => {
    class Mail extends environment({ type: 'object', required: ['DATABASE_URI'], properties: { DATABASE_URI: { type: 'string' } } }) {}
    set({ DATABASE_URL: url })
    await assert.rejects(bootstrap(appOf([Settings, Mail])), {
      message: /^The environment has a fault:\n {2}- DATABASE_URI \(App > Mail\) is missing\. It must be a text\.\n/,
    })
  })

  test('a class that two plugins provide is reported once', async () => {
    set({})
    const imports = ['One', 'Two'].map((name) => plugin(name, { providers: [Settings] }))
    @Plugin({ imports })
    class App {}
    await assert.rejects(bootstrap(App), { message: /^The environment has a fault:\n {2}- DATABASE_URL \(App > One > Settings\)/ })
  })
})
