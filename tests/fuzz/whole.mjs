/** Whole requests against the app, and what must hold of each. */
import { connect } from 'node:net'
import { once } from 'node:events'
import { isDeepStrictEqual } from 'node:util'
import jsonschema from 'jsonschema'
import { createServer } from '../../dist/lib/index.js'
import { declare, routes, shared } from './app.mjs'
import { Connection, readAnswers } from './connection.mjs'
import { bootstrapApp } from './decorated.mjs'
import { Session } from './http2.mjs'
import { Random } from '../../dist/decorators/tools/values/random.js'
import { request } from './requests.mjs'
import { generatedRoutes } from './schemas.mjs'

/** How long an answer may take, in ms. */
const patience = 5000

// ---- the independent validator ----

const validator = new jsonschema.Validator()
for (const schema of Object.values(shared)) validator.addSchema(schema, `/${schema.$id}#`)

/** A schema as draft 7 has it, without `nullable`. */
function standard(schema) {
  if (Array.isArray(schema)) return schema.map(standard)
  if (schema === null || typeof schema !== 'object') return schema
  const { nullable, ...rest } = schema
  const copy = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, key === '$ref' ? `/${value}` : standard(value)]))
  return nullable === true ? { anyOf: [copy, { type: 'null' }] } : copy
}

const standards = new WeakMap()
export function isValid(schema, value) {
  let given = standards.get(schema)
  if (given === undefined) standards.set(schema, (given = standard(schema)))
  // The validator writes into what it looks at.
  return validator.validate(structuredClone(value), given).valid
}

/** The path to a number that is none, or to a `__proto__` of its own. */
export function fault(value, path = '') {
  if (typeof value === 'number' && !Number.isFinite(value)) return path || '/'
  if (value === null || typeof value !== 'object') return undefined
  if (Object.hasOwn(value, '__proto__')) return `${path}/__proto__`
  for (const [name, entry] of Object.entries(value)) {
    const found = fault(entry, `${path}/${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** Whether all that was sent arrived; defaults may have been added. */
function arrived(sent, got) {
  if (sent === undefined) return true
  if (sent === null || typeof sent !== 'object') return Object.is(sent, got) || sent === got
  if (got === null || typeof got !== 'object' || Array.isArray(sent) !== Array.isArray(got)) return false
  return (
    Object.entries(sent).every(([name, value]) => Object.hasOwn(got, name) && arrived(value, got[name])) &&
    (!Array.isArray(sent) || sent.length === got.length)
  )
}

// ---- RFC 9110 §8.3.1, read anew ----

const token = "[!#$%&'*+\\-.^_`|~\\da-zA-Z]+"
const quoted = '"(?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"'
const mediaType = new RegExp(`^[ \\t]*(${token}/${token})(?:[ \\t]*;[ \\t]*(?:${token}=(?:${token}|${quoted}))?)*[ \\t]*$`)

export function essence(header) {
  return mediaType.exec(header)?.[1].toLowerCase()
}

const plainPayload = ['error', 'message', 'statusCode']

/** The ways in which the app is made, and reached. */
const faces = {
  requests: { make: (tell, extra) => declare(createServer(), tell, extra) },
  decorated: { make: (tell, extra) => bootstrapApp(tell, extra, {}) },
  http2: { make: (tell, extra) => declare(createServer({ http2: true }), tell, extra), isHttp2: true },
}

/** Sends `count` requests to the app. @throws a finding, with the request that led to it */
export async function fuzzWhole({ face, seed, count, note }) {
  const { make, isHttp2 } = faces[face]
  const random = new Random(seed)
  const extra = generatedRoutes(random, 12)
  let told = []
  const server = await make((route, given, isGuarded) => void told.push({ route, given, isGuarded }), extra)
  const all = [...routes, ...extra]
  // Who has written all closes its side, and still waits for the answer.
  server.server.httpAllowHalfOpen = true
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address()
  let unhandled
  const onUnhandled = (error) => (unhandled = error)
  process.on('uncaughtException', onUnhandled).on('unhandledRejection', onUnhandled)
  let connection
  let since = performance.now()
  let current
  const watch = setInterval(() => {
    if (performance.now() - since < patience) return
    console.error(`hang: seed ${seed}\n${current?.bytes.toString('latin1').slice(0, 2000)}`)
    process.exit(1)
  }, 1000)
  try {
    for (let index = 0; index < count; index++) {
      const made = request(random, all)
      const { route } = made
      current = made
      since = performance.now()
      told = []
      const fail = (reason) => {
        const error = new Error(
          `${reason}\n  seed ${seed}, request ${index}\n  ${JSON.stringify(made.bytes.toString('latin1').slice(0, 3000))}${told[0] === undefined ? '' : `\n  handler: ${show(told[0].given)}`}`,
        )
        error.isFinding = true
        throw error
      }
      // Whether what is meant to fit fits is not for the generator to say.
      if (made.isValid && made.value !== undefined && !isValid(schemaOf(made), made.sent.body)) made.isValid = false
      if (made.isValid && made.sent.query !== undefined && !isValid(route.schema.querystring, made.sent.query)) made.isValid = false
      let answers
      try {
        if (isHttp2) {
          if (connection === undefined || connection.isClosed) connection = new Session(port)
          answers = await connection.exchange(made)
        } else if (index % 200 === 199) answers = await overSocket(port, made)
        else {
          if (connection === undefined || connection.isClosed || made.isLast) {
            connection?.destroy()
            connection = new Connection(server.server)
          }
          answers = await connection.exchange(made)
        }
      } catch (error) {
        fail(error.message)
      }
      if (unhandled !== undefined) fail(`unhandled: ${unhandled?.stack ?? unhandled}`)
      if ({}.polluted !== undefined || Object.keys(Object.prototype).length > 0) fail('a prototype was polluted')

      const [answer] = answers
      if (answer === undefined) {
        if (made.isValid) fail('not answered')
        note('none')
        continue
      }
      note(String(answer.status))
      for (const { status, headers, body } of answers) {
        // What is not HTTP/1.1 is told so.
        if (status >= 500 && status !== 505) fail(`status ${status}: ${body}`)
        if (status >= 400 && body !== '' && made.method !== 'HEAD') {
          let payload
          try {
            payload = JSON.parse(body)
          } catch {
            fail(`no JSON in a ${status}: ${body}`)
          }
          const keys = Object.keys(payload).filter((key) => key !== 'code')
          if (!isDeepStrictEqual(keys.sort(), plainPayload) || payload.statusCode !== status) fail(`not the payload of an error: ${body}`)
          if (headers['content-type']?.startsWith('application/json') !== true) fail(`an error as ${headers['content-type']}`)
        }
      }
      const isRead = made.framing === 'length' || made.framing === 'chunked'
      for (const { route: reached, given, isGuarded } of told) {
        if (reached?.guarded === true && !isGuarded) fail('a guard did not run')
        if (reached === undefined) {
          if (!isGuarded) fail('the guard of a not-found handler did not run')
          continue
        }
        const { params, querystring, body, headers } = reached.schema ?? {}
        for (const [part, schema, value] of [
          ['params', params, given.params],
          ['query', querystring, given.query],
          ['headers', headers && lowered(headers), headers && { ...given.headers }],
        ]) {
          if (schema !== undefined && !isValid(schema, value)) fail(`invalid ${part} in a handler: ${JSON.stringify(value)}`)
        }
        const path = fault({ params: given.params, query: given.query, body: given.body })
        if (path !== undefined) fail(`a handler got ${path}`)
        if (body !== undefined) {
          const types = headersOf(given.raw.rawHeaders, 'content-type')
          const type = types.length === 1 ? essence(types[0]) : undefined
          if (type === undefined && given.body !== undefined) fail(`a body of the type ${JSON.stringify(types)}`)
          const schema = body.content === undefined ? body : body.content[type]?.schema
          if (schema === undefined) fail(`a body of the type ${type} that has no schema`)
          if (
            body.content === undefined &&
            type !== 'application/json' &&
            !/^[^/]+\/.*\+json$/.test(type) &&
            !reached.schema.consumes?.includes(type)
          )
            fail(`a body of the type ${type}`)
          if (!isValid(schema, given.body)) fail(`an invalid body in a handler: ${show(given)}`)
        }
      }
      if (!made.isValid) continue
      if (answer.status !== 200) fail(`what is valid was refused with ${answer.status}: ${answer.body}`)
      if (told.length !== 1 || (told[0].route !== route && !/\/x?$/.test(made.target))) fail('another handler answered')
      if (!isRead) continue
      const { given } = told[0]
      if (!arrived(made.sent.body, given.body)) fail(`another body arrived: ${show(given)}`)
      if (route.schema?.querystring !== undefined && !arrived(loose(made.sent.query), loose(given.query)))
        fail(`another query arrived: ${JSON.stringify(given.query)}`)
      if (!arrived(loose(made.sent.params), loose(given.params)))
        fail(`other parameters arrived: ${JSON.stringify(given.params)} for ${JSON.stringify(made.sent.params)}`)
      const response = route.schema?.response?.[200]
      if (response !== undefined) {
        const value = JSON.parse(answer.body)
        if (!isValid(response, value)) fail(`an invalid reply: ${answer.body}`)
        if (!arrived(value, JSON.parse(JSON.stringify(given.body)))) fail(`another reply: ${answer.body}`)
      }
    }
  } finally {
    clearInterval(watch)
    process.off('uncaughtException', onUnhandled).off('unhandledRejection', onUnhandled)
    connection?.destroy()
    await server.close()
  }
}

function schemaOf({ route, headers }) {
  const { body } = route.schema
  return body.content === undefined ? body : body.content[headers.find(([name]) => name === 'Content-Type')[1]].schema
}

/** Texts, as far as a query or a path can tell them. */
function loose(value) {
  if (value === undefined) return undefined
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== undefined)
      .map(([name, entry]) => [name, [entry].flat().map((one) => String(one).toWellFormed())]),
  )
}

const lowerCased = new WeakMap()
function lowered(schema) {
  let found = lowerCased.get(schema)
  if (found === undefined) {
    const properties = Object.fromEntries(Object.entries(schema.properties).map(([name, value]) => [name.toLowerCase(), value]))
    lowerCased.set(schema, (found = { ...schema, required: schema.required.map((name) => name.toLowerCase()), properties }))
  }
  return found
}

function headersOf(raw, name) {
  return raw.filter((_value, index) => index % 2 === 1 && raw[index - 1].toLowerCase() === name)
}

function show({ params, query, body }) {
  return JSON.stringify({ params, query, body })?.slice(0, 500)
}

async function overSocket(port, { bytes, method, isLast }) {
  const socket = connect(port, '127.0.0.1')
  const chunks = []
  let isClosed = false
  socket.on('error', () => {})
  socket.on('data', (chunk) => chunks.push(chunk)).on('close', () => (isClosed = true))
  socket.write(bytes)
  if (isLast) socket.end()
  for (;;) {
    await Promise.race([once(socket, 'data').catch(() => {}), once(socket, 'close')])
    const text = Buffer.concat(chunks).toString('latin1')
    if (isLast && !isClosed) continue
    const answers = readAnswers(text, method, isClosed)
    if (answers === undefined || (answers.length === 0 && !isClosed)) continue
    socket.destroy()
    return answers
  }
}
