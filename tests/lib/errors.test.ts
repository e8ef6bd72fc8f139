/** The error codes, their documentation, and HttpError. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { createServer, errorCodes, HttpError } from 'alcove'
import { faults } from '../../decorators/wiring/faults.js'
import { faultSamples } from '../fixtures/fault-samples.js'

const project = new URL('../../../', import.meta.url)
const document = readFileSync(new URL('docs/errors.md', project), 'utf8')

const sources = ['lib', 'decorators']
  .flatMap((folder) => readdirSync(new URL(folder, project), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
  .filter((file) => file.endsWith('.ts') && file !== 'lib/errors.ts')
  .map((file) => readFileSync(new URL(file, project), 'utf8'))
  .join('\n')

const codes = Object.keys(errorCodes) as (keyof typeof errorCodes)[]

describe('every error code of the server', () => {
  // Answered without an error object
  const unthrown = ['ALC_ERR_NOT_FOUND']

  test('is thrown somewhere', () => {
    const isThrown = (code: string): boolean => sources.includes(`errorCodes.${code}(`) || sources.includes(`'${code}'`)
    // Two codes are composed of their parts.
    const isBuilt = (code: string): boolean => /^ALC_ERR_SCH_\w+_BUILD$/.test(code) && sources.includes('_BUILD`]')
    assert.deepEqual(
      codes.filter((code) => !isThrown(code) && !isBuilt(code)),
      unthrown,
    )
  })

  test('is documented with its status, its cause and its cure', () => {
    const rows = new Map([...document.matchAll(/^\| `(ALC_\w+)` \| (\d+) \| ([^|]+) \| ([^|]+) \|$/gm)].map((row) => [row[1]!, row]))
    assert.deepEqual([...rows.keys()], codes)
    for (const code of codes) {
      if (code === 'ALC_ERR_BOOT_FAULTS') continue
      const error = new (errorCodes[code] as new (...args: unknown[]) => { statusCode: number })('a', 'b', 'c')
      assert.equal(Number(rows.get(code)![2]), error.statusCode, code)
    }
  })
})

test('every fault of wiring is documented with its text', () => {
  for (const [code, text] of Object.entries(faults)) {
    const rendered = (text as (...args: unknown[]) => string)(...faultSamples[code as keyof typeof faults])
    assert.ok(document.includes(`| \`${code}\` | ${rendered.replaceAll('|', '\\|')} |`), `docs/errors.md lacks: ${rendered}`)
  }
})

describe('an error of the framework', () => {
  const Sample = errorCodes.ALC_ERR_QSP_NOT_FN

  test('has a code, a status, a message with its arguments, and its base class', () => {
    const error = new Sample('tea')
    const message = "querystringParser option should be a function, instead got 'tea'"
    assert.deepEqual([error.code, error.statusCode, error.message], ['ALC_ERR_QSP_NOT_FN', 500, message])
    assert.ok(error instanceof TypeError)
    assert.ok(error instanceof Sample)
    assert.ok(String(error).endsWith(`[ALC_ERR_QSP_NOT_FN]: ${message}`))
  })

  test('can be made without new', () => {
    assert.ok(Sample('tea') instanceof Sample)
  })
})

describe('HttpError', () => {
  async function answerTo(error: unknown, options = {}): Promise<[number, Record<string, unknown>, Record<string, unknown>]> {
    const server = createServer(options)
    server.get('/', async () => {
      throw error
    })
    const answer = await server.inject('/')
    await server.close()
    return [answer.statusCode, answer.json(), answer.headers]
  }

  test('below 500 shows its message, its code and its headers', async () => {
    const [status, body, headers] = await answerTo(new HttpError(429, 'Slow down', { code: 'BUSY', headers: { 'retry-after': '5' } }))
    assert.equal(status, 429)
    assert.deepEqual(body, { statusCode: 429, code: 'BUSY', error: 'Too Many Requests', message: 'Slow down' })
    assert.equal(headers['retry-after'], '5')
  })

  test('from 500 on hides its message and its code', async () => {
    const [status, body] = await answerTo(new HttpError(503, 'db-7 is down', { code: 'DB_7' }))
    assert.equal(status, 503)
    assert.deepEqual(body, { statusCode: 503, error: 'Service Unavailable', message: 'Service Unavailable' })
  })

  test('shows them with expose, or with the option exposeErrorMessages', async () => {
    assert.equal((await answerTo(new HttpError(503, 'Back at noon', { expose: true })))[1]['message'], 'Back at noon')
    assert.equal((await answerTo(new HttpError(503, 'Back at noon'), { exposeErrorMessages: true }))[1]['message'], 'Back at noon')
  })

  test('below 500 hides them with expose: false, as errors of other libraries do', async () => {
    const hidden = { statusCode: 404, error: 'Not Found', message: 'Not Found' }
    assert.deepEqual((await answerTo(new HttpError(404, 'No invoice 7', { expose: false, code: 'INVOICE' })))[1], hidden)
    assert.deepEqual((await answerTo(Object.assign(new Error('No invoice 7'), { statusCode: 404, expose: false })))[1], hidden)
  })

  test('has the status text if no message is given, and keeps its cause', () => {
    const cause = new Error('why')
    const error = new HttpError(404, undefined, { cause })
    assert.deepEqual([error.message, error.cause, error.expose, error.name], ['Not Found', cause, true, 'HttpError'])
    assert.equal('cause' in new HttpError(404), false)
  })

  for (const status of [200, 399, 600, 404.5, Number.NaN]) {
    test(`refuses the status ${status}`, () => {
      assert.throws(() => new HttpError(status), { code: 'ALC_ERR_BAD_STATUS_CODE' })
    })
  }
})
