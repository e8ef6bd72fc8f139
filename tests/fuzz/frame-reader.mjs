/** HTTP/2 as RFC 9113 has it, read anew: which requests the bytes of a client hold, and from where on they hold none. */
import { Decoder, HpackError } from './hpack.mjs'

export const types = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
}
export const flags = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 }
export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
/** Announced by no one, so the default of RFC 9113 §6.5.2. */
const maxFrameSize = 16_384

const isName = (name) => /^[!#$%&'*+\-.^_`|~\da-z]+$/.test(name)
const isValue = (value) => /^(?:[!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?)?$/.test(value)

const isHost = (value) => /^[\w\-.~!$&'()*+,;=:@[\]%]+$/.test(value)

/** Whether a field is well-formed. nghttp2 leaves the others out, and goes on with the rest of the request. */
export const isField = ([name, value]) => isName(name) && isValue(value) && (name !== 'host' || isHost(value))

/** Thrown for a connection error. */
class Fatal extends Error {}

/**
 * @returns `requests` by stream: `{ fields, fault, body, isComplete }`; `fatal`: the connection error, which must end the connection;
 * `isWhole`: whether the bytes end where a frame and a header block end
 */
export function readFrames(bytes) {
  const reader = new Reader()
  let at = preface.length
  try {
    if (!bytes.subarray(0, at).equals(preface)) throw new Fatal('preface')
    while (bytes.length - at >= 9) {
      const length = bytes.readUIntBE(at, 3)
      if (length > maxFrameSize) throw new Fatal('a frame that is too long')
      if (bytes.length - at < 9 + length) break
      reader.frame(bytes[at + 3], bytes[at + 4], bytes.readUInt32BE(at + 5) & 0x7fffffff, bytes.subarray(at + 9, (at += 9 + length)))
    }
  } catch (error) {
    if (!(error instanceof Fatal || error instanceof HpackError)) throw error
    return { requests: reader.requests, fatal: error.message, isWhole: true }
  }
  return { requests: reader.requests, fatal: undefined, isWhole: at === bytes.length && reader.block === undefined }
}

class Reader {
  requests = new Map()
  /** The header block that is not complete. */
  block
  #decoder = new Decoder()
  #last = 0
  #isFirst = true

  frame(type, flag, stream, payload) {
    if (this.#isFirst && (type !== types.settings || flag & flags.ack)) throw new Fatal('no settings first')
    this.#isFirst = false
    if (this.block !== undefined && (type !== types.continuation || stream !== this.block.stream))
      throw new Fatal('a frame within a header block')
    switch (type) {
      case types.data:
        return this.#data(flag, stream, payload)
      case types.headers:
        return this.#headers(flag, stream, payload)
      case types.continuation:
        if (this.block === undefined) throw new Fatal('a continuation of nothing')
        this.block.parts.push(payload)
        return this.#endBlock(flag)
      case types.settings:
        return settings(flag, stream, payload)
      case types.reset:
        if (payload.length !== 4 || this.#isIdle(stream)) throw new Fatal('reset')
        if (this.requests.has(stream)) this.requests.get(stream).isReset = true
        return
      case types.ping:
        if (payload.length !== 8 || stream !== 0) throw new Fatal('ping')
        return
      case types.goaway:
        if (payload.length < 8 || stream !== 0) throw new Fatal('goaway')
        return
      case types.window:
        if (payload.length !== 4 || (stream !== 0 && this.#isIdle(stream))) throw new Fatal('window')
        if (stream === 0 && (payload.readUInt32BE() & 0x7fffffff) === 0) throw new Fatal('a window of 0')
        return
      case types.push:
        throw new Fatal('a push by a client')
    }
  }

  /** A stream that no client has opened; those of a server are never opened here. */
  #isIdle(stream) {
    return stream === 0 || stream % 2 === 0 || stream > this.#last
  }

  #data(flag, stream, payload) {
    if (this.#isIdle(stream)) throw new Fatal('data on an idle stream')
    const request = this.requests.get(stream)
    if (request === undefined || request.isEnded) return
    const bytes = unpadded(flag, payload)
    // Fatal too, but for a stream that the server has closed, which only the server knows.
    if (bytes === undefined) return void (request.isEnded = true)
    request.body.push(bytes)
    if (flag & flags.endStream) this.#end(request)
  }

  #headers(flag, stream, payload) {
    if (stream === 0 || stream % 2 === 0) throw new Fatal('headers on a stream of no client')
    let bytes = unpadded(flag, payload, flag & flags.priority ? 5 : 0)
    if (bytes === undefined) throw new Fatal('padding')
    if (flag & flags.priority) bytes = bytes.subarray(5)
    this.block = { stream, parts: [bytes], isEnd: (flag & flags.endStream) !== 0 }
    this.#endBlock(flag)
  }

  #endBlock(flag) {
    if (!(flag & flags.endHeaders)) return
    const { stream, parts, isEnd } = this.block
    const fields = this.#decoder.decode(Buffer.concat(parts))
    this.block = undefined
    if (stream <= this.#last) return this.#trailers(stream, fields, isEnd)
    this.#last = stream
    const request = { fields, fault: faultOf(fields), body: [], isEnded: false, isComplete: false, isReset: false }
    this.requests.set(stream, request)
    if (isEnd) this.#end(request)
  }

  #trailers(stream, fields, isEnd) {
    const request = this.requests.get(stream)
    if (request === undefined || request.isEnded) return
    if (!isEnd || fields.some(([name]) => name.startsWith(':') || ofConnection.has(name))) request.isEnded = true
    else this.#end(request)
  }

  #end(request) {
    request.isEnded = true
    const length = request.fields.find(([name]) => name === 'content-length')?.[1]
    const bytes = request.body.reduce((sum, each) => sum + each.length, 0)
    request.isComplete = length === undefined || Number(length) === bytes
  }
}

/** RFC 9113 §6.1, §6.2. @returns `undefined` if the padding does not fit behind what else is in the frame */
function unpadded(flag, payload, least = 0) {
  if (!(flag & flags.padded)) {
    return payload.length < least ? undefined : payload
  }
  const padding = payload[0]
  if (padding === undefined || 1 + least + padding > payload.length) return undefined
  return payload.subarray(1, payload.length - padding)
}

function settings(flag, stream, payload) {
  if (stream !== 0 || payload.length % 6 !== 0) throw new Fatal('settings')
  if (flag & flags.ack && payload.length > 0) throw new Fatal('settings')
  // nghttp2 looks at the last of several values only.
  const values = new Map()
  for (let at = 0; at < payload.length; at += 6) values.set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2))
  for (const [id, value] of values) {
    if (id === 2 && value > 1) throw new Fatal('settings: push')
    if (id === 4 && value > 0x7fffffff) throw new Fatal('settings: window')
    if (id === 5 && (value < 16_384 || value > 16_777_215)) throw new Fatal('settings: frame size')
  }
}

const pseudo = [':method', ':scheme', ':path', ':authority']
const ofConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade'])

/** Why no handler may see a request with these fields (RFC 9113 §8.2, §8.3; RFC 9112 §3.2); `undefined` for a request that is valid. */
function faultOf(given) {
  const fields = given.filter((field) => field[0].startsWith(':') || isField(field))
  const of = (name) => fields.filter((field) => field[0] === name).map((field) => field[1])
  const firstRegular = fields.findIndex(([name]) => !name.startsWith(':'))
  const lastPseudo = fields.findLastIndex(([name]) => name.startsWith(':'))
  if (firstRegular !== -1 && lastPseudo > firstRegular) return 'a pseudo header behind others'
  for (const [name] of fields) {
    if (name.startsWith(':') && !pseudo.includes(name)) return `the pseudo header ${name}`
    if (ofConnection.has(name)) return `the header ${name}`
  }
  for (const name of [...pseudo, 'content-length']) if (of(name).length > 1) return `two ${name}`
  const [[method], [path], [scheme], [authority], hosts] = [':method', ':path', ':scheme', ':authority', 'host'].map(of)
  if (method === undefined || !/^[!#$%&'*+\-.^_`|~\w]+$/.test(method)) return 'no method'
  if (method === 'CONNECT' ? path !== undefined || scheme !== undefined || !authority : !path || !scheme) return 'no path or scheme'
  if (of('te').some((value) => value.trim().toLowerCase() !== 'trailers')) return 'te'
  if (of('content-length').some((value) => !/^\d+$/.test(value))) return 'content-length'
  if (hosts.length > 1 || (hosts.length === 1 && authority !== undefined && hosts[0].trim() !== authority)) return 'two hosts'
  if (path !== undefined && !path.startsWith('/') && !/^https?:\/\//i.test(path) && !(path === '*' && method === 'OPTIONS')) return 'path'
  if (path !== undefined && /[\0- \x7f]/.test(path)) return 'path'
  return undefined
}
