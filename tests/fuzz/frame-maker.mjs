/** Makes the bytes of a client of HTTP/2: a valid sequence of frames, which is then mutated or not. */
import { flags, preface, types } from './frame-reader.mjs'
import { Encoder } from './hpack.mjs'

const frame = (type, flag, stream, payload = Buffer.alloc(0)) => ({ type, flag, stream, payload })

const uint32 = (value) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

export const ping = (text) => frame(types.ping, 0, 0, Buffer.from(text.padEnd(8).slice(0, 8), 'latin1'))

export function written({ type, flag, stream, payload, length = payload.length }) {
  const head = Buffer.alloc(9)
  head.writeUIntBE(length & 0xffffff, 0, 3)
  head[3] = type
  head[4] = flag
  head.writeUInt32BE(stream >>> 0, 5)
  return Buffer.concat([head, payload])
}

/** @returns `{ frames, bytes, isMutated }` */
export function sequence(random) {
  const isMutated = random.chance(0.75)
  const frames = [frame(types.settings, 0, 0, settings(random))]
  if (random.chance(0.7)) frames.push(frame(types.settings, flags.ack, 0))
  const encoder = new Encoder()
  let stream = -1
  const open = random.list(1, 6, () => request(random, encoder, (stream += random.pick([2, 2, 2, 4])), isMutated && random.chance(0.2)))
  // Header blocks go out in their order, since they share the table of the encoder; the frames behind them mix.
  const waiting = []
  while (open.length > 0 || waiting.length > 0) {
    if (open.length > 0 && (waiting.length === 0 || random.chance(0.5))) {
      const { head, rest } = open.shift()
      frames.push(...head)
      if (rest.length > 0) waiting.push(rest)
    } else {
      const at = random.int(0, waiting.length - 1)
      frames.push(waiting[at].shift())
      if (waiting[at].length === 0) waiting.splice(at, 1)
    }
    if (random.chance(0.15)) frames.push(between(random, Math.max(1, frames.at(-1).stream)))
  }
  if (!isMutated) return { frames, bytes: bytesOf(frames), isMutated }
  for (let count = random.int(1, 3); count > 0; count--) mutate(frames, random)
  const bytes = bytesOf(frames)
  if (random.chance(0.2)) for (let count = random.int(1, 4); count > 0; count--) bytes[random.int(0, bytes.length - 1)] = random.int(0, 255)
  return { frames, bytes: random.chance(0.05) ? bytes.subarray(0, random.int(0, bytes.length)) : bytes, isMutated }
}

function bytesOf(frames) {
  return Buffer.concat([preface, ...frames.map(written)])
}

function settings(random) {
  const entries = random.list(0, 3, () =>
    random.pick([
      [1, random.pick([0, 4096, 65_536])],
      [2, random.int(0, 1)],
      [3, random.pick([1, 100])],
      [4, random.pick([0, 1, 65_535, 1_000_000])],
      [5, random.pick([16_384, 100_000])],
      [6, 10_000],
      [99, random.int(0, 9)],
    ]),
  )
  return Buffer.concat(entries.map(([id, value]) => Buffer.concat([Buffer.from([0, id]), uint32(value)])))
}

const methods = ['GET', 'GET', 'POST', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE']
const paths = ['/', '/late', '/big', '/body', '/stream', '/a/b?c=d']

/** Frames of a request: `head` for its header block, `rest` for body and trailers. */
function request(random, encoder, stream, isOdd) {
  const method = random.pick(methods)
  const body =
    /POST|PUT|DELETE/.test(method) && random.chance(0.8)
      ? random.list(0, 4, () => Buffer.alloc(random.pick([0, 1, 9, 3000]), 97))
      : undefined
  let fields = [
    [':method', method],
    [':scheme', 'http'],
    [':path', random.pick(paths)],
    [':authority', 'a.example'],
    ...random.list(0, 4, () => [random.pick(['x-a', 'x-b', 'accept', 'cookie', 'te']), random.pick(['1', 'b'.repeat(300), 'c; d'])]),
  ].map(([name, value]) => [name, name === 'te' ? 'trailers' : value])
  if (body !== undefined && random.chance(0.4)) fields.push(['content-length', String(body.reduce((sum, part) => sum + part.length, 0))])
  if (isOdd) fields = oddFields(fields, random)
  const hasTrailers = body !== undefined && random.chance(0.2)
  const head = headerFrames(random, stream, encoder.encode(fields, random), body === undefined)
  const rest = (body ?? []).map((part) => dataFrame(random, stream, part, false))
  if (hasTrailers) rest.push(frame(types.headers, flags.endHeaders | flags.endStream, stream, literal('x-trailer', 'z')))
  else if (body !== undefined) rest.push(dataFrame(random, stream, Buffer.alloc(0), true))
  if (random.chance(0.05)) rest.push(frame(types.reset, 0, stream, uint32(random.pick([0, 7, 8, 99]))))
  return { head, rest }
}

/** A field that stays out of the table, so that it may come in any order. */
function literal(name, value) {
  return Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)])
}

function dataFrame(random, stream, part, isEnd) {
  const end = isEnd ? flags.endStream : 0
  if (random.chance(0.7)) return frame(types.data, end, stream, part)
  const padding = random.pick([0, 1, 255])
  return frame(types.data, end | flags.padded, stream, Buffer.concat([Buffer.from([padding]), part, Buffer.alloc(padding)]))
}

function headerFrames(random, stream, block, isEnd) {
  let flag = isEnd ? flags.endStream : 0
  const cuts = random.chance(0.7) ? [] : random.list(1, 3, () => random.int(0, block.length)).sort((a, b) => a - b)
  const parts = [0, ...cuts].map((cut, index) => block.subarray(cut, cuts[index] ?? block.length))
  let [first] = parts
  if (random.chance(0.15)) {
    flag |= flags.priority
    first = Buffer.concat([uint32(random.pick([0, stream + 2, 0x80000000])), Buffer.from([random.int(0, 255)]), first])
  }
  if (random.chance(0.15)) {
    const padding = random.pick([0, 3, 200])
    flag |= flags.padded
    first = Buffer.concat([Buffer.from([padding]), first, Buffer.alloc(padding)])
  }
  return [
    frame(types.headers, flag | (cuts.length === 0 ? flags.endHeaders : 0), stream, first),
    ...parts.slice(1).map((part, index) => frame(types.continuation, index === cuts.length - 1 ? flags.endHeaders : 0, stream, part)),
  ]
}

/** A frame that may come between those of requests. */
function between(random, stream) {
  return random.pick([
    () => ping('between'),
    () => frame(types.window, 0, 0, uint32(random.pick([1, 65_535]))),
    () => frame(types.window, 0, stream, uint32(random.pick([1, 65_535]))),
    () => frame(types.priority, 0, stream, Buffer.concat([uint32(stream + 2), Buffer.from([9])])),
    () => frame(types.settings, 0, 0, settings(random)),
    () => frame(random.int(10, 255), random.int(0, 255), random.pick([0, stream]), Buffer.alloc(random.int(0, 20))),
  ])()
}

const odd = [
  (fields, random) => fields.push([random.pick(['connection', 'transfer-encoding', 'upgrade', 'keep-alive', 'proxy-connection']), 'close']),
  (fields) => fields.push(['te', 'gzip']),
  (fields) => fields.push(['X-Upper', '1']),
  (fields, random) => fields.push(['x-odd', random.pick(['a\r\nb: c', 'a\0', '\x7f', ' a', 'a ', '\xff', '\t'])]),
  (fields, random) => fields.push([random.pick(['a b', 'a\n', '', 'a:', '\x80', 'x\0']), '1']),
  (fields, random) =>
    fields.push([random.pick([':method', ':path', ':status', ':protocol', ':']), random.pick(['GET', '/', '200', 'websocket'])]),
  (fields, random) => fields.unshift(...random.pick([[[':path', '/b']], [['x-early', '1']], [[':authority', 'b']]])),
  (fields, random) => void fields.splice(random.int(0, 3), 1),
  (fields, random) =>
    void (fields.find(([name]) => name === ':path')[1] = random.pick(['', 'a', '*', 'http://b/c', '/ a', '/\x01', '//', '/%', '\\'])),
  (fields, random) => void (fields.find(([name]) => name === ':method')[1] = random.pick(['', 'CONNECT', 'get', 'A B', 'PRI', 'FOO'])),
  (fields, random) => fields.push(['host', random.pick(['a.example', 'b.example', '', 'a b'])]),
  (fields, random) => fields.push(['content-length', random.pick(['0', '1', '-1', 'x', '99999999999999999999', '1, 1', '+1'])]),
]

function oddFields(fields, random) {
  const changed = fields.map((field) => [...field])
  random.pick(odd)(changed, random)
  return changed
}

/** Changes that take a frame and its place. */
const mutations = [
  (each, random) =>
    void (each.length = random.pick([
      0,
      1,
      4,
      8,
      9,
      16_384,
      16_385,
      0xffffff,
      each.payload.length + 1,
      Math.max(0, each.payload.length - 1),
    ])),
  (each, random) => void (each.flag ^= 1 << random.int(0, 7)),
  (each, random) => void (each.flag = random.int(0, 255)),
  (each, random) =>
    void (each.stream = random.pick([0, 1, 2, 3, 5, each.stream + 2, each.stream + 1, 0x7fffffff, 0x80000000 + each.stream, 0xffffffff])),
  (each, random) => void (each.type = random.int(0, 12)),
  (each, random) => {
    if (each.payload.length === 0) return
    each.payload = Buffer.from(each.payload)
    each.payload[random.int(0, each.payload.length - 1)] = random.int(0, 255)
  },
  (each, random) => void (each.payload = each.payload.subarray(0, random.int(0, each.payload.length))),
  (each, random) => void (each.payload = Buffer.concat([each.payload, Buffer.alloc(random.pick([1, 4, 100]), random.int(0, 255))])),
  (_each, random, frames, at) => void frames.splice(at, 1, ...(random.chance(0.5) ? [] : [frames[at], frames[at]])),
  (each, random, frames, at) => {
    const other = random.int(0, frames.length - 1)
    frames[at] = frames[other]
    frames[other] = each
  },
  (each, random, frames, at) => void frames.splice(at, 0, anyFrame(random, each.stream)),
  (each, random, frames, at) => void frames.splice(at, 0, anyFrame(random, each.stream)),
  // Many of one kind.
  (each, random, frames, at) => {
    const flood = random.pick([anyFrame(random, each.stream), each])
    frames.splice(at, 0, ...Array.from({ length: random.pick([5, 20, 100]) }, () => ({ ...flood })))
  },
  // A header block that goes on.
  (each, random, frames, at) =>
    void frames.splice(
      at + 1,
      0,
      frame(types.continuation, random.pick([0, 4]), each.stream, Buffer.alloc(random.pick([0, 1, 500]), 0x82)),
    ),
  // Streams that are opened and reset.
  (_each, random, frames, at) => {
    const first = 1001 + 2 * random.int(0, 50)
    for (let count = random.pick([1, 10, 50]), stream = first; count > 0; count--, stream += 2) {
      const head = Buffer.concat([Buffer.from([0x82, 0x86, 0x84]), literal('host', 'a')])
      frames.splice(++at, 0, frame(types.headers, 5, stream, head), frame(types.reset, 0, stream, uint32(8)))
      at++
    }
  },
]

function mutate(frames, random) {
  if (frames.length === 0) return
  const at = random.int(0, frames.length - 1)
  // A frame may stand in several places.
  const each = (frames[at] = { ...frames[at] })
  random.pick(mutations)(each, random, frames, at)
}

function anyFrame(random, stream) {
  const on = random.pick([0, stream, stream, stream + 2, 2])
  return random.pick([
    () => frame(types.reset, 0, on, uint32(random.int(0, 14))),
    () => frame(types.window, 0, on, uint32(random.pick([0, 1, 0x7fffffff, 0x80000001]))),
    () => frame(types.priority, 0, on, Buffer.concat([uint32(on), Buffer.from([1])])),
    () =>
      frame(types.goaway, 0, random.pick([0, 0, 1]), Buffer.concat([uint32(random.pick([0, 1, 99])), uint32(random.pick([0, 0, 1, 11]))])),
    () =>
      frame(
        types.settings,
        random.pick([0, 1]),
        random.pick([0, 0, 1]),
        Buffer.concat([Buffer.from([0, random.int(0, 8)]), uint32(random.pick([0, 1, 2, 16_383, 0x80000000]))]),
      ),
    () => frame(types.push, 4, on, Buffer.concat([uint32(2), Buffer.from([0x82])])),
    () => frame(types.data, random.pick([0, 1]), on, Buffer.alloc(random.pick([0, 10, 16_384]))),
    () => frame(types.headers, random.int(0, 63), on, Buffer.from(random.list(0, 30, () => random.int(0, 255)))),
    () => ping('any'),
    () => frame(random.int(0, 255), random.int(0, 255), on, Buffer.from(random.list(0, 40, () => random.int(0, 255)))),
  ])()
}
