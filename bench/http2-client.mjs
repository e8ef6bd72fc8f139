/**
 * A client of HTTP/2 (RFC 9113) in plain text that does little enough for a load generator; that of Node needs as much CPU time for a
 * request as a server does. Requests have no body. Their headers are encoded once, without a table, and the server is told to use none.
 */
import { once } from 'node:events'
import { connect } from 'node:net'

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const DATA = 0
const HEADERS = 1
const RST_STREAM = 3
const SETTINGS = 4
const PING = 6
const GOAWAY = 7
const WINDOW_UPDATE = 8
const END_STREAM = 1
const ACK = 1
const END_HEADERS = 4
const CANCEL = 8
const FRAME_HEAD = 9
const LARGEST_WINDOW = 2 ** 31 - 1
const FIRST_WINDOW = 65_535

function frame(type, flags, stream, payload = Buffer.alloc(0)) {
  const head = Buffer.alloc(FRAME_HEAD)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

function uint32(value) {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function settings(entries) {
  return Buffer.concat(entries.map(([id, value]) => Buffer.concat([Buffer.from([0, id]), uint32(value)])))
}

/** A string of HPACK (RFC 7541, 5.2), without Huffman code. */
function string(text) {
  const bytes = Buffer.from(text)
  const length = bytes.length < 127 ? [bytes.length] : [127, ((bytes.length - 127) % 128) | 128, Math.floor((bytes.length - 127) / 128)]
  return Buffer.concat([Buffer.from(length), bytes])
}

/** The frame of a request, whose stream is set when it is sent. */
export function encode({ method, url, headers, body }) {
  if (method !== 'GET' || body !== '') throw new Error('This client sends only GET, without a body.')
  const [METHOD_GET, SCHEME_HTTP, AUTHORITY, PATH] = [0x82, 0x86, 0x01, 0x04]
  const fields = [
    Buffer.from([METHOD_GET, SCHEME_HTTP, AUTHORITY]),
    string('localhost'),
    Buffer.from([PATH]),
    string(url),
    ...Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), string(name), string(value)]),
  ]
  return frame(HEADERS, END_STREAM | END_HEADERS, 0, Buffer.concat(fields))
}

/** Whether the first field of a header block, after changes of the table's size, is `:status` 200, 204 or 206. */
function isGood(block) {
  let at = 0
  while (block[at] >> 5 === 1) at += 1
  return block[at] >= 0x88 && block[at] <= 0x8a
}

export class Http2Connection {
  #socket
  #rest = Buffer.alloc(0)
  #next = 1
  /** By stream: what is called at its end, and whether its status was good. */
  #streams = new Map()
  #received = 0

  constructor(port, host) {
    this.#socket = connect({ port, host, noDelay: true })
  }

  async open() {
    await once(this.#socket, 'connect')
    const [TABLE_SIZE, PUSH, STREAM_WINDOW] = [1, 2, 4]
    this.#socket.write(PREFACE)
    this.#socket.write(
      frame(
        SETTINGS,
        0,
        0,
        settings([
          [TABLE_SIZE, 0],
          [PUSH, 0],
          [STREAM_WINDOW, LARGEST_WINDOW],
        ]),
      ),
    )
    this.#socket.write(frame(WINDOW_UPDATE, 0, 0, uint32(LARGEST_WINDOW - FIRST_WINDOW)))
    this.#socket.on('data', (bytes) => this.#read(bytes))
    const end = () => {
      for (const stream of this.#streams.keys()) this.#finish(stream, false)
    }
    this.#socket.on('error', end).on('close', end)
  }

  /** Sends the frame of a request; returns its stream. */
  send(request, done) {
    const stream = this.#next
    this.#next += 2
    this.#streams.set(stream, { done, isGood: false })
    const bytes = Buffer.from(request)
    bytes.writeUInt32BE(stream, 5)
    this.#socket.write(bytes)
    return stream
  }

  cancel(stream) {
    this.#socket.write(frame(RST_STREAM, 0, stream, uint32(CANCEL)))
    this.#finish(stream, false)
  }

  #finish(stream, isAnswered) {
    const entry = this.#streams.get(stream)
    this.#streams.delete(stream)
    entry?.done(isAnswered && entry.isGood)
  }

  #read(bytes) {
    let rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    while (rest.length >= FRAME_HEAD) {
      const end = FRAME_HEAD + rest.readUIntBE(0, 3)
      if (rest.length < end) break
      this.#readFrame(rest[3], rest[4], rest.readUInt32BE(5), rest.subarray(FRAME_HEAD, end))
      rest = rest.subarray(end)
    }
    this.#rest = rest
  }

  #readFrame(type, flags, stream, payload) {
    if (type === HEADERS) {
      const entry = this.#streams.get(stream)
      if (entry !== undefined) entry.isGood = isGood(payload)
    }
    if (type === DATA) this.#addToWindow(payload.length)
    if ((type === HEADERS || type === DATA) && (flags & END_STREAM) !== 0) this.#finish(stream, true)
    if (type === RST_STREAM) this.#finish(stream, false)
    if (type === SETTINGS && (flags & ACK) === 0) this.#socket.write(frame(SETTINGS, ACK, 0))
    if (type === PING && (flags & ACK) === 0) this.#socket.write(frame(PING, ACK, 0, payload))
    if (type === GOAWAY) this.#socket.destroy()
  }

  /** The server may send so much more. */
  #addToWindow(bytes) {
    this.#received += bytes
    if (this.#received < LARGEST_WINDOW / 2) return
    this.#socket.write(frame(WINDOW_UPDATE, 0, 0, uint32(this.#received)))
    this.#received = 0
  }
}
