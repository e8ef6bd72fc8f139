/** Generated and mutated frames of HTTP/2 over raw sockets, and what must hold of each connection. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectHttp2 } from 'node:http2'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createServer } from '../../dist/lib/index.js'
import { ping, sequence, written } from './frame-maker.mjs'
import { flags, isField, readFrames, types } from './frame-reader.mjs'
import { Random } from '../../dist/decorators/tools/values/random.js'

/** How long anything may take, in ms. */
const patience = 5000
/** Connections that are tried at the same time. */
const lanes = 16
/** What the heap may grow by, in MB, between the first connections and the last. */
const growth = 16

function application(tell) {
  // Node does not notice that a client has closed its side while a stream is open; the time of idle sessions ends them.
  const server = createServer({ http2: true, forceCloseConnections: true, handlerTimeout: 1000, http2SessionTimeout: 1000 })
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  const answer = (reply) => (request) => {
    tell(request)
    return reply
  }
  server.get('/alive', () => 'alive')
  server.get('/big', answer('x'.repeat(100_000)))
  server.get('/late', async (request) => {
    tell(request)
    await new Promise((resolve) => setTimeout(resolve, 5))
    return 'late'
  })
  server.all('/*', answer('any'))
  server.setNotFoundHandler((request, reply) => {
    tell(request)
    reply.code(404).send('none')
  })
  server.register(async (child) => {
    child.removeAllContentTypeParsers()
    child.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    const read = async (request) => {
      tell(request)
      let bytes = 0
      for await (const chunk of request.raw) bytes += chunk.length
      return String(bytes)
    }
    child.post('/stream', read)
    child.put('/stream', read)
  })
  return server
}

/** What a server sends: its frames, as far as they matter here. */
class Answers {
  ended = new Set()
  pongs = new Set()
  isGoingAway = false
  fault
  #rest = Buffer.alloc(0)

  add(chunk) {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (bytes.length >= 9) {
      const length = bytes.readUIntBE(0, 3)
      if (length > 16_777_215 || bytes[3] > 12) this.fault = 'the server sends no frame of HTTP/2'
      if (bytes.length < 9 + length) break
      const stream = bytes.readUInt32BE(5)
      if (bytes[3] === types.goaway) this.isGoingAway = true
      if (bytes[3] === types.ping && bytes[4] & flags.ack) this.pongs.add(bytes.toString('latin1', 9, 17))
      if ((bytes[3] <= types.headers && bytes[4] & flags.endStream) || bytes[3] === types.reset) this.ended.add(stream)
      bytes = bytes.subarray(9 + length)
    }
    this.#rest = bytes
  }
}

/** Sends at least `count` frames. @throws a finding, with the bytes of its connection */
export async function fuzzFrames({ seed, count, note }) {
  const connections = new Map()
  const server = application((request) => connections.get(request.raw.stream?.session?.socket?.remotePort ?? 0)?.told.push(request))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address()
  let unhandled
  const onUnhandled = (error) => (unhandled = error)
  process.on('uncaughtException', onUnhandled).on('unhandledRejection', onUnhandled)
  let sent = 0
  let index = 0
  let heap
  const run = async () => {
    while (sent < count) {
      const at = index++
      const made = sequence(new Random(seed * 1_000_003 + at))
      sent += made.frames.length
      note('frames', made.frames.length)
      const fail = (reason) => {
        const finding = new Error(`${reason}\n  seed ${seed}, connection ${at}\n  ${made.bytes.toString('hex').slice(0, 6000)}`)
        finding.isFinding = true
        throw finding
      }
      const fate = await tryConnection({ port, made, connections, fail, note, random: new Random(at) })
      note(`connections: ${fate}`)
      if (unhandled !== undefined) fail(`unhandled: ${unhandled?.stack ?? unhandled}`)
      if (at % 50 === 0 && (await alive(port)) !== 200) fail('another connection was not answered meanwhile')
      if (heap === undefined && sent > count / 4) heap = heapNow()
    }
  }
  try {
    await Promise.all(Array.from({ length: lanes }, run))
    await until(async () => (await openConnections(server)) === 0)
    const open = await openConnections(server)
    if (open > 0) throw Object.assign(new Error(`seed ${seed}: ${open} connections stay on the server`), { isFinding: true })
    const grown = (heapNow() - (heap ?? Infinity)) / 2 ** 20
    if (grown > growth) throw Object.assign(new Error(`seed ${seed}: the heap grew by ${grown.toFixed(1)} MB`), { isFinding: true })
  } finally {
    process.off('uncaughtException', onUnhandled).off('unhandledRejection', onUnhandled)
    await server.close()
  }
}

async function tryConnection({ port, made, connections, fail, note, random }) {
  const { bytes, isMutated } = made
  const reading = readFrames(bytes)
  if (!isMutated && (reading.fatal !== undefined || !reading.isWhole)) fail(`the generator and the reader disagree: ${reading.fatal}`)
  const told = []
  const answers = new Answers()
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  let isClosed = false
  socket.on('close', () => (isClosed = true)).on('data', (chunk) => answers.add(chunk))
  await once(socket, 'connect')
  const { localPort } = socket
  connections.set(localPort, { told })
  try {
    const all = reading.isWhole ? Buffer.concat([bytes, written(ping('the end!'))]) : bytes
    for (const part of parts(all, random)) {
      socket.write(part)
      if (part.length < all.length) await new Promise((resolve) => setImmediate(resolve))
    }
    const isOver = () => isClosed || answers.isGoingAway
    if (reading.fatal !== undefined) await until(isOver)
    else if (reading.isWhole) await until(() => isOver() || answers.pongs.has('the end!'))
    else await new Promise((resolve) => setTimeout(resolve, 5))
    if (answers.fault !== undefined) fail(answers.fault)
    if (reading.fatal !== undefined && !isOver()) fail(`the connection goes on after an error: ${reading.fatal}`)
    if (reading.fatal === undefined && reading.isWhole && !isOver() && !answers.pongs.has('the end!')) fail('the connection does not go on')
    if (!isMutated) {
      const due = hasWindow(bytes, reading.requests) ? [...reading.requests].filter(([, each]) => each.isComplete && !each.isReset) : []
      const areAnswered = () => due.every(([stream]) => answers.ended.has(stream))
      await until(() => isClosed || areAnswered())
      if (!areAnswered()) fail('a valid request is not answered')
      note('requests answered', due.length)
    }
    for (const request of told) check(request, reading.requests, fail)
    if (reading.fatal !== undefined) return 'ended for an error'
    return isOver() ? 'ended by the server' : reading.isWhole ? 'went on' : 'cut off by the client'
  } finally {
    socket.destroy()
    connections.delete(localPort)
  }
}

/** Whether neither a setting of the client nor a long reply, which uses the window of the connection up, keeps replies from being sent. */
function hasWindow(bytes, requests) {
  if ([...requests.values()].some(({ fields }) => fields.some(([, value]) => value === '/big'))) return false
  return !bytes.includes(Buffer.from([0, 4, 0, 0, 0, 0])) && !bytes.includes(Buffer.from([0, 4, 0, 0, 0, 1]))
}

function check(request, requests, fail) {
  const { raw, body, method } = request
  const read = requests.get(raw.stream.id)
  if (read === undefined) fail(`a handler saw a request on the stream ${raw.stream.id}, on which there is none`)
  if (read.fault !== undefined)
    fail(`a handler saw an invalid request: ${read.fault}; it was ${JSON.stringify(raw.rawHeaders)} of ${JSON.stringify(read.fields)}`)
  const pairs = raw.rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, raw.rawHeaders[at + 1]]] : []))
  const sent = new Set(read.fields.map(([name, value]) => `${name}\n${value}`))
  for (const [name, value] of pairs) {
    if (!name.startsWith(':') && !isField([name, value])) fail(`a handler saw the header ${JSON.stringify([name, value])}`)
    if (!sent.has(`${name}\n${value}`)) fail(`a handler saw a header that was not sent: ${JSON.stringify([name, value])}`)
  }
  for (const field of read.fields) {
    if (isField(field) && !pairs.some(([name, value]) => name === field[0] && value === field[1])) fail(`the header ${field[0]} was lost`)
  }
  if (method !== read.fields.find(([name]) => name === ':method')[1]) fail('another method')
  if (!Buffer.isBuffer(body)) return
  if (!read.isComplete) fail('a handler saw a body that is not complete')
  if (!body.equals(Buffer.concat(read.body))) fail('a handler saw another body')
}

function parts(bytes, random) {
  if (random.chance(0.7)) return [bytes]
  const cuts = random.list(1, 6, () => random.int(0, bytes.length)).sort((a, b) => a - b)
  return [0, ...cuts].map((cut, index) => bytes.subarray(cut, cuts[index] ?? bytes.length))
}

async function until(isTrue) {
  const end = performance.now() + patience
  while (!(await isTrue()) && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 1))
}

function openConnections({ server }) {
  return new Promise((resolve, reject) => server.getConnections((error, found) => (error ? reject(error) : resolve(found))))
}

/** The status that another client gets. */
async function alive(port) {
  const session = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => {})
  const status = await new Promise((resolve) => {
    const timer = setTimeout(resolve, patience, undefined)
    const stream = session.request({ ':path': '/alive' })
    stream.on('response', (headers) => {
      clearTimeout(timer)
      resolve(headers[':status'])
    })
    stream.on('error', () => resolve(undefined)).resume()
  })
  session.destroy()
  return status
}

let collect
/** Bytes in use, after a collection of garbage. */
function heapNow() {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc')
  }
  collect()
  return process.memoryUsage().heapUsed
}
