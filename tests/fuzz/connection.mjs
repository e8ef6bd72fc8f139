/** A connection without a network: Node's own HTTP parser reads what is written, and what it writes is read strictly. */
import { Duplex } from 'node:stream'

export class Connection {
  #socket
  #received = []
  #length = 0
  #waiting
  isClosed = false

  constructor(server) {
    const connection = this
    this.#socket = new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        connection.#received.push(chunk)
        connection.#length += chunk.length
        done()
        connection.#check()
      },
      final(done) {
        done()
        connection.#close()
      },
      destroy(_error, done) {
        done(null)
        connection.#close()
      },
    })
    // What a server asks of a socket.
    Object.assign(this.#socket, { setTimeout() {}, setNoDelay() {}, setKeepAlive() {}, ref() {}, unref() {}, remoteAddress: '127.0.0.1' })
    this.#socket.on('error', () => {})
    server.emit('connection', this.#socket)
  }

  #close() {
    this.isClosed = true
    this.#check()
  }

  /**
   * Writes a request and gives its answers: the final one, or, where `isLast`, all until the server closes.
   * @param request `{ bytes, method, isLast }`
   */
  exchange({ bytes, method, isLast }) {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject, method, isLast }
      this.#socket.push(bytes)
      if (isLast) this.#socket.push(null)
    })
  }

  #check() {
    const waiting = this.#waiting
    if (waiting === undefined || (waiting.isLast && !this.isClosed)) return
    if (this.#length === 0 && !this.isClosed) return
    const text = Buffer.concat(this.#received).toString('latin1')
    let answers
    try {
      answers = readAnswers(text, waiting.method, this.isClosed)
    } catch (error) {
      this.#waiting = undefined
      return waiting.reject(error)
    }
    if (answers === undefined || (answers.length === 0 && !this.isClosed)) return
    this.#waiting = undefined
    this.#received = []
    this.#length = 0
    if (answers.at(-1)?.headers['connection'] === 'close') this.isClosed = true
    waiting.resolve(answers)
  }

  destroy() {
    this.isClosed = true
    this.#socket.destroy()
  }
}

const token = /^[!#$%&'*+\-.^_`|~\da-zA-Z]+$/

/** The answers in a text, `undefined` when the last is not complete. @throws where it is not HTTP */
export function readAnswers(text, method, isClosed) {
  const answers = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return incomplete(isClosed, rest)
    const [line, ...fields] = rest.slice(0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [\t -~\x80-\xff]*$/.exec(line)?.[1])
    if (Number.isNaN(status)) throw new Error(`not a response: ${JSON.stringify(line)}`)
    const headers = Object.create(null)
    for (const field of fields) {
      const colon = field.indexOf(':')
      const name = field.slice(0, colon)
      if (!token.test(name) || /[\0\r\n]/.test(field)) throw new Error(`not a header: ${JSON.stringify(field)}`)
      if (name.toLowerCase() in headers && name.toLowerCase() !== 'set-cookie') throw new Error(`${name} is given twice`)
      headers[name.toLowerCase()] = field.slice(colon + 1).trim()
    }
    rest = rest.slice(end + 4)
    if (status === 100) continue
    let body = ''
    const length = headers['content-length']
    if (headers['transfer-encoding'] !== undefined && length !== undefined) throw new Error('both a length and chunks')
    // What could not be read as a request was no HEAD.
    const isUnread = status >= 400 && rest.startsWith('{"statusCode":')
    const isBodyless = (method === 'HEAD' && !isUnread) || status === 204 || status === 304
    if (!isBodyless && headers['transfer-encoding'] === 'chunked') {
      for (;;) {
        const head = /^([\da-f]+)\r\n/i.exec(rest)
        if (head === null) return incomplete(isClosed, rest)
        const size = Number.parseInt(head[1], 16)
        const start = head[0].length
        if (rest.length < start + size + 2) return incomplete(isClosed, rest)
        body += rest.slice(start, start + size)
        rest = rest.slice(start + size + 2)
        if (size === 0) break
      }
    } else if (!isBodyless && length !== undefined) {
      if (!/^\d+$/.test(length)) throw new Error(`no length: ${length}`)
      if (rest.length < Number(length)) return incomplete(isClosed, rest)
      body = rest.slice(0, Number(length))
      rest = rest.slice(Number(length))
    } else if (!isBodyless) throw new Error(`a body of unknown length: ${line}`)
    answers.push({ status, headers, body: Buffer.from(body, 'latin1').toString('utf8') })
    // What belongs to a HEAD is only known for the first answer.
    method = undefined
  }
  return answers
}

function incomplete(isClosed, rest) {
  if (isClosed) throw new Error(`an answer is cut off: ${JSON.stringify(rest.slice(0, 200))}`)
  return undefined
}
