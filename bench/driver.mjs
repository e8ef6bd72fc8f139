/**
 * Requests without a network: sockets that are streams in memory, handed to the server as its connections. Node's HTTP parser and
 * writer work as for real ones. What is ASCII has as many bytes as characters, which is all that is sent and answered here.
 */
import { Duplex } from 'node:stream'

class MemorySocket extends Duplex {
  /** Bytes of the answer that have not come yet; -1 before its head. */
  #missing = -1
  #answer = ''
  #take

  constructor(take) {
    super({ decodeStrings: false, emitClose: false })
    this.#take = take
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
    const text = typeof chunk === 'string' ? chunk : chunk.latin1Slice()
    if (this.#missing === -1) {
      this.#answer += text
      const end = this.#answer.indexOf('\r\n\r\n')
      if (end === -1) return
      const at = this.#answer.search(/\r\ncontent-length: /i)
      if (at === -1 || at > end) throw new Error(`An answer without content-length: ${this.#answer.slice(0, end)}`)
      this.#missing = Number.parseInt(this.#answer.slice(at + 18, end), 10) - (this.#answer.length - end - 4)
    } else {
      this.#answer += text
      this.#missing -= text.length
    }
    if (this.#missing > 0) return
    const answer = this.#answer
    this.#missing = -1
    this.#answer = ''
    this.#take(this, answer)
  }
}

export function statusOf(answer) {
  return Number(answer.slice(9, 12))
}

/** Keep-alive connections to a server, each of which sends the next request when the last is answered. */
export function connect(server, connections = 8) {
  let requests = []
  let next = 0
  let toSend = 0
  let toCome = 0
  let finish
  const free = []
  const onAnswer = (socket, answer) => {
    // Every answer of a workload is a success; '2' is enough to know.
    if (answer[9] !== '2') throw new Error(`Refused: ${answer.slice(0, 500)}`)
    toCome -= 1
    if (toCome === 0) finish()
    if (free.push(socket) === 1) setImmediate(send)
  }
  const send = () => {
    for (const socket of free.splice(0)) {
      if (toSend === 0) {
        idle.push(socket)
        continue
      }
      toSend -= 1
      const bytes = requests[next]
      next = next + 1 === requests.length ? 0 : next + 1
      socket.push(bytes)
    }
  }
  const idle = Array.from({ length: connections }, () => {
    const socket = new MemorySocket(onAnswer)
    server.emit('connection', socket)
    return socket
  })
  /** Sends `count` of the requests, in turn; resolves when all are answered. */
  return (given, count) =>
    new Promise((resolve) => {
      if (requests !== given) next = 0
      requests = given
      toSend = toCome = count
      finish = resolve
      free.push(...idle.splice(0))
      setImmediate(send)
    })
}

/** The answer to one request on a connection of its own. */
export function ask(server, bytes) {
  return new Promise((resolve) => {
    const socket = new MemorySocket((_socket, answer) => resolve(answer))
    server.emit('connection', socket)
    socket.push(bytes)
  })
}
