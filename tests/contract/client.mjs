/**
 * Generated clients under generated requests, over HTTP, for all samples.
 * - Every reply fits the type that the client file has for its status, and so do the parts of every request that the document allows.
 * - The server reads what a function of the client sends as it reads the same request written in the style of the document.
 * - Replies of controllers fit the types that `testServer(…).call` makes of the class.
 *
 * SEEDS is how many requests are made of each operation and body, besides those that break one thing in each of them.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import typescript from 'typescript'
import { entryOf } from '../../dist/decorators/contract/client-file/entries.js'
import { clientFile, describe, openapi } from '../../dist/decorators/contract/index.js'
import { classAndMethod } from '../../dist/decorators/contract/openapi/operation-names.js'
import { applications, withServer } from './applications.mjs'
import { functionsOf, toParts } from './client-calls.mjs'
import { preamble, Proof, ReadStream } from './client-proofs.mjs'
import { ajvOf, responseOf, withDocument } from './replies.mjs'
import { requestsOf, toInject } from './requests.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const seeds = Number(process.env['SEEDS'] ?? 60)
const directory = mkdtempSync(join(tmpdir(), 'alcove-clients-'))
mkdirSync(join(directory, 'node_modules/@types'), { recursive: true })
symlinkSync(join(root, 'node_modules/@types/node'), join(directory, 'node_modules/@types/node'))
after(() => rmSync(directory, { recursive: true }))

/** What the validation let through to the handler of the last request: a root hook notes it. */
let seen
subscribe('alcove.initialization', ({ server }) => {
  server.addHook('preHandler', (request, _reply, done) => {
    const { params, query, body, headers, cookies } = request
    seen = structuredClone({
      params: { ...params },
      query: { ...query },
      headers,
      cookies,
      body: typeof body?.pipe === 'function' ? 'a stream' : body,
    })
    done()
  })
})

/** Writes the client file of a server, and loads it. */
async function loadClient(server, file) {
  const text = clientFile(server)
  writeFileSync(join(directory, `${file}.ts`), text)
  const { outputText } = typescript.transpileModule(`${text}\nexport { routes }\n`, {
    compilerOptions: { target: 'es2022', module: 'esnext' },
  })
  writeFileSync(join(directory, `${file}.mjs`), outputText)
  return import(pathToFileURL(join(directory, `${file}.mjs`)).href)
}

/** What a document says about the body of a reply. */
function createShapes(document) {
  const ajv = ajvOf(document, { allErrors: true })
  // Types know types, properties and constants; they know nothing of lengths and patterns.
  const known = new Set(['type', 'required', 'const', 'enum', 'anyOf', 'oneOf'])
  const candidates = [[[[]]], {}, 'text', 0.5, null]
  return (operation, method, { status, headers, body }) => {
    const response = responseOf(operation, status, document)
    if (response === undefined) return undefined
    if (response.content === undefined || method === 'HEAD') return { isKnown: true, wrong: {} }
    const type = headers.get('content-type')?.split(';')[0].trim().toLowerCase()
    const { schema } = response.content[type] ?? {}
    if (body === undefined || schema === undefined) return { isKnown: false }
    // A text or a Blob, whatever the schema is.
    if (!/[/+]json$/.test(type)) return { isKnown: true, wrong: 0.5 }
    if (Object.keys(schema).length === 0) return { isKnown: false }
    const validate = ajv.compile(withDocument(schema))
    return {
      isKnown: true,
      wrong: candidates.find((value) => !validate(value) && validate.errors.every(({ keyword }) => known.has(keyword))),
    }
  }
}

/** Sends the requests of one application. */
async function sendAll(application, server, { createClient, routes }, { proof, classProof }) {
  const document = openapi(server, { info: { title: 'Sample', version: '1.0.0' } })
  const shapeOf = createShapes(document)
  const methodOf = createMethodNames(describe(server))
  const tokens = application.tokens ?? {}
  const baseUrl = await server.listen({ port: 0 })
  const problems = new Set()
  let sent = 0
  for (const { name, entry, operations } of functionsOf(routes, document)) {
    assert.ok(operations.length > 0, `${name} is in the document`)
    const call = name.split('.').reduce((at, key) => at[key], createClient({ baseUrl }))
    const send = async (request, operation) => {
      const parts = toParts(request, entry, tokens, application.headers)
      seen = undefined
      const reply = await readStream(await call(parts))
      sent++
      const shape = shapeOf(operation, entry.method, reply)
      if (shape === undefined && !application.undeclared?.includes(reply.status)) problems.add(`${name}: ${reply.status} is not listed`)
      proof.addReply(name, reply, shape ?? { isKnown: false })
      if (methodOf(entry) !== undefined) classProof.addReply(methodOf(entry), reply)
      return { parts, seenByHandler: seen }
    }
    for await (const { operation, request, broken } of requestsOf(document, operations, seeds)) {
      // The server takes an empty parameter if the path ends with it. A client asks for a value.
      if (request.parameters.some(([parameter, value]) => parameter.in === 'path' && value === '')) continue
      const { parts, seenByHandler } = await send(request, operation)
      proof.addParts(name, parts)
      if (!application.isEndless) {
        seen = undefined
        await server.inject(toInject(request, tokens, application.headers))
        const names = (operation.parameters ?? []).filter((parameter) => parameter.in === 'header').map((parameter) => parameter.name)
        assert.deepEqual(pick(seenByHandler, names), pick(seen, names), `${name} ${JSON.stringify(parts)}`)
      }
      for (const [, each] of broken) await send(each, operation)
    }
  }
  return { sent, problems: [...problems] }
}

/** Reads the first item of a stream, which may have no end. */
async function readStream(reply) {
  if (reply.body?.[Symbol.asyncIterator] === undefined) return reply
  const items = []
  for await (const item of reply.body) {
    items.push(item)
    break
  }
  return { ...reply, body: new ReadStream(items) }
}

/** The class and the method of a route: `UsersController.find`. */
function createMethodNames({ routes }) {
  const names = new Map()
  for (const route of routes) {
    const { classPath, method = 'handle' } = classAndMethod(route) ?? {}
    if (classPath === undefined) continue
    for (const name of route.methods) names.set(JSON.stringify(entryOf(route, name)), `${classPath.split(' > ').at(-1)}.${method}`)
  }
  return (entry) => names.get(JSON.stringify(entry))
}

/** What handlers read, with those headers that the document describes. */
function pick(view, names) {
  return view && { ...view, headers: Object.fromEntries(names.map((name) => [name, view.headers[name]])) }
}

/** Only files of applications with streams have it. */
const eventStream = `import type { EventStream } from '${root}dist/decorators/client/streams.js'`

const proofs = []
let total = 0
for (const [index, application] of applications.entries())
  test(`${application.name}: a client sends what the server reads, and every status is listed`, async () => {
    const proof = new Proof()
    const classProof = new Proof()
    const { sent, problems } = await withServer(application, async (server) =>
      sendAll(application, server, await loadClient(server, `client${index}`), { proof, classProof }),
    )
    total += sent
    proofs.push({ index, application, proof, classProof })
    assert.deepEqual(problems, [], `${sent} requests`)
  })

test('every reply fits the type of its status, and every request that a document allows the type of the parts', () => {
  const files = proofs.map(({ index, proof }) => {
    const typeOf = (name) => `Api['${name.replaceAll('.', "']['")}']`
    return write(`proof${index}.ts`, [`import type { Api } from './client${index}.js'`, eventStream, preamble, proof.write(typeOf)])
  })
  assert.deepEqual(compile(files), [])
  const sum = (key) => proofs.reduce((count, { proof }) => count + proof[key], 0)
  console.log(`${total} requests, ${sum('compared')} different values compared with types, ${sum('refused')} wrong ones refused`)
  if (process.env['SEEDS'] === undefined) assert.ok(total >= 10_000, `${total} requests`)
})

test('every reply of a controller fits the type that its class has for its status', () => {
  const typed = proofs.filter(({ application }) => application.module !== undefined)
  const files = typed.map(({ index, application, classProof }) => {
    const typeOf = (name) => {
      const method = `Classes.${name.replace('.', "['")}']`
      return `(...parts: CallInput<${method}>) => Promise<RepliesOf<${method}>>`
    }
    return write(`classes${index}.ts`, [
      eventStream,
      `import type { CallInput, RepliesOf } from '${root}dist/decorators/tools/call-types.js'`,
      `import type * as Classes from '${root}dist/samples/${application.module}.js'`,
      preamble,
      classProof.write(typeOf),
    ])
  })
  const messages = compile(files)
  const expected = typed.flatMap(({ application }) => application.beyondTypes ?? [])
  assert.deepEqual(new Set(messages.map(({ client }) => client)), new Set(expected), JSON.stringify(messages, null, 1))
  console.log(`${typed.reduce((count, { classProof }) => count + classProof.compared, 0)} replies of ${typed.length} applications`)
})

function write(file, lines) {
  writeFileSync(join(directory, file), lines.join('\n'))
  return file
}

/** The messages of the compiler, each with the function that it is about and the line. */
function compile(files) {
  const compilerOptions = { target: 'es2023', module: 'nodenext', noEmit: true, strict: true, skipLibCheck: true, types: ['node'] }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', directory, '--pretty', 'false'], { encoding: 'utf8' })
  const messages = [...stdout.matchAll(/(\w+\.ts)\((\d+),\d+\): (.*)/g)].map(([, file, line, message]) => {
    const text = readFileSync(join(directory, file), 'utf8').split('\n').slice(0, Number(line))
    return {
      client: text.findLast((each) => each.startsWith('// ')).slice(3),
      status: text.findLast((each) => each.startsWith('  if ')),
      line: text.at(-1).trim(),
      message,
    }
  })
  assert.ok(status === 0 || messages.length > 0, stdout)
  return messages
}
