/**
 * Requests without a network: streams in memory are handed to the server as its connections, and Node's HTTP parser and writer work
 * as for real ones.
 */
import { Duplex } from 'node:stream'
import { AnswerReader } from './answer.mjs'

class MemorySocket extends Duplex {
  #reader = new AnswerReader()
  #onAnswer

  constructor(onAnswer) {
    super({ decodeStrings: false })
    this.#onAnswer = onAnswer
  }

  _read() {}

  _write(chunk, _encoding, callback) {
    this.#add(chunk)
    callback()
  }

  _writev(chunks, callback) {
    for (const { chunk } of chunks) this.#add(chunk)
    callback()
  }

  #add(chunk) {
    // What the servers answer here is ASCII: strings need no encoding to have their length in bytes.
    if (this.#reader.add(typeof chunk === 'string' ? chunk : chunk.latin1Slice()) !== undefined) this.#onAnswer(this)
  }
}

/** Bytes that a read from a network brings at most. */
const PIECE = 65_536

function piecesOf(bytes) {
  return Array.from({ length: Math.ceil(bytes.length / PIECE) }, (_, index) => bytes.subarray(index * PIECE, (index + 1) * PIECE))
}

/**
 * Keep-alive connections to a server, each of which sends its next request when the last is answered. Returns a function that sends
 * `count` of the requests, in turn, and resolves when all are answered.
 */
export function connect(server, requests, connections = 8) {
  const inPieces = requests.map(piecesOf)
  let next = 0
  let toSend = 0
  let toCome = 0
  let finish
  let waiting = []
  const send = () => {
    const sockets = waiting
    waiting = []
    for (const socket of sockets) {
      if (toSend === 0) {
        waiting.push(socket)
        continue
      }
      toSend -= 1
      const pieces = inPieces[next]
      next = next + 1 === inPieces.length ? 0 : next + 1
      for (const piece of pieces) socket.push(piece)
    }
  }
  const onAnswer = (socket) => {
    toCome -= 1
    if (toCome === 0) finish()
    // Outside of the server's own write, as bytes from a network would come.
    if (waiting.push(socket) === 1) setImmediate(send)
  }
  for (let count = 0; count < connections; count++) {
    const socket = new MemorySocket(onAnswer)
    server.emit('connection', socket)
    waiting.push(socket)
  }
  return (count) =>
    new Promise((resolve) => {
      toSend = toCome = count
      finish = resolve
      setImmediate(send)
    })
}
