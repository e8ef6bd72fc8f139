/** docs/reference/validation.md: the rows of its tables are sent to a listening server, and get the results that they show. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { createServer, type Server } from 'alcove'
import { baselineOptions } from '../../lib/schema/ajv/engine.js'
import { formatNames } from '../../lib/schema/ajv/formats.js'
import { partOrder } from '../../lib/schema/validate-request.js'
import { server as sample } from '../../samples/reference/validation.js'
import { withLinks } from './options.js'
import { asCode, codeOf, type Example, holdResults, readExamples, valueOf } from './runs.js'
import { type Cells, holdTables } from './tables.js'

/** Declares the route of a row at a path. Returns what sends its request and reads the result. */
type Declare = (server: Server, path: string, cells: Cells) => (send: Send) => Promise<Cells>
type Send = (url: string, init?: { method?: string; headers?: Record<string, string>; body?: string | undefined }) => Promise<Answer>
interface Answer {
  readonly status: number
  readonly body: string
}

const json = { 'content-type': 'application/json' }
const asText = (value: unknown): string => (value === undefined ? 'undefined' : JSON.stringify(value))
const wrap = (x: unknown): object => ({ type: 'object', properties: { x } })
/** What the handler got, or the status. */
const resultOf = ({ status, body }: Answer): string => (status === 200 ? asCode(body) : String(status))

/** Sends `x` in the query string, and if it is one text also in the params, in a header and in a cookie, which must give the same. */
const declareTexts: Declare = (server, path, cells) => {
  const schema = wrap(valueOf(cells['Schema of `x`']))
  server.get(`${path}/query`, { schema: { querystring: schema } }, ({ query }: any) => asText(query.x))
  server.get(`${path}/params/:x`, { schema: { params: schema } }, ({ params }: any) => asText(params.x))
  server.get(`${path}/headers`, { schema: { headers: schema } }, ({ headers }: any) => asText(headers.x))
  server.get(`${path}/cookies`, { schema: { cookies: schema } }, ({ cookies }: any) => asText(cookies.x))
  const query = codeOf(cells['Sent'])
  const [, text] = /^x=([^&]+)$/.exec(query) ?? []
  return async (send) => {
    const result = resultOf(await send(`${path}/query?${query}`))
    if (text !== undefined) {
      assert.equal(resultOf(await send(`${path}/params/${text}`)), result, `params: ${query}`)
      assert.equal(resultOf(await send(`${path}/headers`, { headers: { x: text } })), result, `headers: ${query}`)
      assert.equal(resultOf(await send(`${path}/cookies`, { headers: { cookie: query } })), result, `cookies: ${query}`)
    }
    return { 'The handler gets': result }
  }
}

const post =
  (
    schema: unknown,
    body: string,
    read: (body: any) => unknown,
    result: (answer: Answer) => Cells,
  ): ((...given: [Server, string]) => (send: Send) => Promise<Cells>) =>
  (server, path) => {
    server.post(path, { schema: { body: schema } }, (request) => asText(read(request.body)))
    return async (send) => result(await send(path, { method: 'POST', headers: json, body }))
  }

const messageOf = ({ status, body }: Answer): Cells => {
  assert.equal(status, 400, body)
  return { Message: asCode((JSON.parse(body) as { message: string }).message) }
}

const declarations: Readonly<Record<string, Declare>> = {
  texts: declareTexts,
  headers: declareHeaders,
  cookies: (server, path, cells) => {
    server.get(path, { schema: { cookies: valueOf(cells['Schema of the cookies']) } }, ({ cookies }: any) => asText(cookies))
    return async (send) => ({ 'The handler gets': resultOf(await send(path, { headers: { cookie: codeOf(cells['Sent']) } })) })
  },
  bodies: (server, path, cells) =>
    post(
      wrap(valueOf(cells['Schema of `x`'])),
      `{"x":${codeOf(cells['Sent as `x`'])}}`,
      (body) => body.x,
      (answer) => ({ 'The handler gets': resultOf(answer) }),
    )(server, path),
  objects: (server, path, cells) =>
    post(
      valueOf(cells['Body schema']),
      codeOf(cells['Body']),
      (body) => body,
      (answer) => ({ 'The handler gets': resultOf(answer) }),
    )(server, path),
  messages: (server, path, cells) => post(valueOf(cells['Body schema']), codeOf(cells['Body']), (body) => body, messageOf)(server, path),
  mediaTypes: declareMediaType,
  payloads: declarePayload,
  formats: declareFormat,
  bytes: declareBytes,
  replies: declareReply,
  selection: declareSelection,
}

/** Shows those of the headers that are asked about: clients send others too. */
function declareHeaders(...[server, path, cells]: Parameters<Declare>): ReturnType<Declare> {
  const schema: unknown = valueOf(cells['Schema of the headers'])
  server.get(path, { schema: { headers: schema } }, ({ headers }: any) =>
    asText(Object.fromEntries(Object.entries(headers as object).filter(([name]) => name.startsWith('x-')))),
  )
  const [name = '', value = ''] = codeOf(cells['Sent']).split(': ')
  return async (send) => ({ 'The handler gets': resultOf(await send(path, { headers: { [name]: value } })) })
}

function declareMediaType(...[server, path, cells]: Parameters<Declare>): ReturnType<Declare> {
  server.post(path, { schema: { body: valueOf(cells['Body schema']) } }, ({ body }) => asText(body))
  const type = codeOf(cells['`Content-Type`'])
  const given = codeOf(cells['Body'])
  return async (send) => {
    const { status, body } = await send(path, {
      method: 'POST',
      headers: type === '' ? {} : { 'content-type': type },
      body: given === '' ? undefined : given,
    })
    if (status === 200) return { Result: `the handler gets ${asCode(body)}` }
    const { code = '' } = JSON.parse(body) as { code?: string }
    return { Result: code === '' ? String(status) : `${status}, ${withLinks(code)}` }
  }
}

function declarePayload(...[server, path, cells]: Parameters<Declare>): ReturnType<Declare> {
  const body = { type: 'object', properties: { age: { type: 'integer' } } }
  server.register(async (child: Server) => {
    child.setErrorFormat(codeOf(cells['`errors`']) as 'default' | 'problem').post(path, { schema: { body } }, () => '')
  })
  return async (send) => ({
    'The body of the reply': asCode(
      (await send(path, { method: 'POST', headers: json, body: '{"age":"x"}' })).body.replace(path, '/users'),
    ),
  })
}

function declareFormat(...[server, path, cells]: Parameters<Declare>): ReturnType<Declare> {
  const isNumber = ['int32', 'int64', 'float', 'double'].includes(codeOf(cells['Format']))
  const type = isNumber ? 'number' : 'string'
  const schema = { type: 'object', properties: { x: { type, format: codeOf(cells['Format']) } } }
  server.get(path, { schema: { querystring: schema } }, () => 'accepted')
  return async (send) => {
    const statusOf = async (cell: string): Promise<number> =>
      (await send(`${path}?${new URLSearchParams({ x: codeOf(cell) }).toString()}`)).status
    assert.equal(await statusOf(cells['Accepted']!), 200, `${cells['Format']} accepts ${cells['Accepted']}`)
    if (cells['Refused'] !== 'nothing')
      assert.equal(await statusOf(cells['Refused']!), 400, `${cells['Format']} refuses ${cells['Refused']}`)
    return {}
  }
}

function declareBytes(...[server, path, cells]: Parameters<Declare>): ReturnType<Declare> {
  const textOf = (_key: string, value: unknown): unknown => (ArrayBuffer.isView(value) ? `${value.byteLength} bytes` : value)
  server.register(async (child: Server) => {
    child.addContentTypeParser('application/octet-stream', async () => valueOf(cells['A parser makes']) as unknown)
    child.post(path, { schema: { body: valueOf(cells['Body schema']) } }, ({ body }) => {
      return JSON.stringify(body, textOf)
    })
  })
  return async (send) => {
    const { status, body } = await send(path, { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: '-' })
    return { Result: status === 200 ? `the handler gets ${asCode(body)}` : asCode(`${status} ${(JSON.parse(body) as Error).message}`) }
  }
}

function declareReply(...[server, path, cells]: Parameters<Declare>): ReturnType<Declare> {
  const { 'Response schema': schema, 'The handler returns': returned } = cells
  server.get(path, schema === 'none' ? {} : { schema: { response: { 200: valueOf(schema) } } }, async () => valueOf(returned) as unknown)
  return async (send) => ({ 'The client gets': resultOf(await send(path)) })
}

function declareSelection(...[server, path, cells]: Parameters<Declare>): ReturnType<Declare> {
  const declared = [...cells['Declared']!.matchAll(/`([^`]+)`/g)].map(([, key]) => key!)
  const response: Record<string, any> = {}
  for (const key of declared) {
    const [status = '', type] = key.split(' ')
    const schema = { type: 'object', properties: { [key]: { type: 'string' } } }
    if (type === undefined) response[status] = schema
    else response[status] = { content: { ...response[status]?.content, [type]: { schema } } }
  }
  const [status = '', type = 'application/json'] = codeOf(cells['Reply']).split(' ')
  const payload = Object.fromEntries([...declared, 'all fields'].map((key) => [key, 'x']))
  server.get(path, { schema: { response } }, (_request, reply) => reply.code(Number(status)).type(type).send(payload))
  return async (send) => {
    const sent = Object.keys(JSON.parse((await send(path)).body) as object)
    return { 'Schema that is used': sent.includes('all fields') ? 'none' : asCode(sent.join(' ')) }
  }
}

describe('the page of validation and serialization', () => {
  const examples = readExamples('validation')

  test('shows what a server does with each row', async () => {
    await using server = createServer({ undeclaredResponses: 'send' })
    const runs = examples.map(({ table, cells }: Example, index) => declarations[table]!(server, `/${index}`, cells))
    const address = await server.listen()
    const send: Send = async (url, { body, ...init } = {}) => {
      const reply = await fetch(address + url, { ...init, ...(body !== undefined && { body: Buffer.from(body) }) })
      return { status: reply.status, body: await reply.text() }
    }
    const results: Cells[] = []
    for (const run of runs) results.push(await run(send))
    holdResults('validation', results)
  })

  test('names every format', () => {
    const shown = examples.filter(({ table }) => table === 'formats').map(({ cells }) => codeOf(cells['Format']))
    assert.deepEqual(shown.toSorted(), [...formatNames].toSorted())
  })

  test('shows the options of ajv', () => {
    const shown = (value: unknown): string =>
      asCode(
        typeof value === 'object'
          ? `{ ${Object.entries(value!)
              .map(([key, entry]) => `${key}: ${entry}`)
              .join(', ')} }`
          : JSON.stringify(value),
      )
    holdTables('validation', {
      baseline: new Map(
        Object.entries(baselineOptions).map(([name, value]): [string, Cells] => [
          name,
          name === 'uriResolver' ? {} : { Value: shown(value).replaceAll('"', "'") },
        ]),
      ),
    })
  })

  test('says in which order parts are validated', async () => {
    assert.deepEqual(partOrder, ['params', 'body', 'querystring', 'cookies', 'headers'])
    await using server = createServer()
    const never = { type: 'object', required: ['absent'] } as const
    for (const [index] of partOrder.entries()) {
      const schema = Object.fromEntries(partOrder.slice(index).map((part) => [part, never]))
      server.post(`/${index}`, { schema }, () => '')
    }
    for (const [index, part] of partOrder.entries()) {
      const { message } = (await server.inject({ method: 'POST', url: `/${index}`, payload: {} })).json<{ message: string }>()
      assert.equal(message, `${part} should have required property 'absent'`)
    }
  })

  describe('has a first example', () => {
    after(() => sample.close())

    test('whose reply it shows', async () => {
      const reply = await sample.inject({ method: 'POST', url: '/users', payload: { name: 'Ada', age: '36', extra: 1 } })
      assert.deepEqual([reply.statusCode, reply.body], [201, '{"id":1,"name":"Ada","role":"guest"}'])
    })
  })
})
