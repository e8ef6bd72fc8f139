/**
 * How a load generator's requests reach a server. A slot sends one request at a time: `send(done)` calls `done(true)` when the answer is
 * complete, `done(false)` if there is none; `drop()` gives the request up.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { AnswerReader } from './answer.mjs'
import { encode, Http2Connection } from './http2-client.mjs'
import { toBytes } from './requests.mjs'

export const transports = {
  'keep-alive': { title: 'HTTP/1.1, keep-alive', protocol: 'http' },
  new: { title: 'HTTP/1.1, a new connection for each request', protocol: 'http' },
  tls: { title: 'HTTPS, keep-alive', protocol: 'tls' },
  h2: { title: 'HTTP/2, 100 streams on a connection', protocol: 'h2c' },
}

/** Requests in turn, shared by all slots. */
function inTurn(requests) {
  let next = 0
  return () => {
    const request = requests[next]
    next = next + 1 === requests.length ? 0 : next + 1
    return request
  }
}

class KeepAlive {
  #open
  #take
  #socket
  #reader
  #done

  constructor(open, take) {
    this.#open = open
    this.#take = take
  }

  async ready() {
    const socket = this.#open().setEncoding('latin1')
    const end = () => this.#socket === socket && this.#finish(false)
    socket.on('data', (text) => {
      if (this.#socket === socket && this.#reader.add(text) !== undefined) this.#finish(true)
    })
    this.#reader = new AnswerReader()
    this.#socket = socket
    await once(socket, socket.encrypted ? 'secureConnect' : 'connect')
    socket.on('close', end).on('error', end)
    return this
  }

  send(done) {
    this.#done = done
    if (this.#socket.destroyed) {
      this.ready().then(
        () => this.#socket.write(this.#take()),
        () => this.#finish(false),
      )
    } else this.#socket.write(this.#take())
  }

  drop() {
    this.#socket.resetAndDestroy()
  }

  #finish(isAnswered) {
    const done = this.#done
    this.#done = undefined
    done?.(isAnswered)
  }
}

/** Opens and closes a connection for each request. */
class NewConnection {
  #open
  #take
  #socket

  constructor(open, take) {
    this.#open = open
    this.#take = take
  }

  async ready() {
    return this
  }

  send(done) {
    const reader = new AnswerReader()
    let isOver = false
    const finish = (isAnswered) => {
      if (isOver) return
      isOver = true
      done(isAnswered)
    }
    const socket = (this.#socket = this.#open().setEncoding('latin1'))
    socket.write(this.#take())
    socket.on('data', (text) => {
      if (reader.add(text) !== undefined) finish(true)
    })
    socket.on('close', () => finish(false)).on('error', () => finish(false))
  }

  drop() {
    this.#socket.resetAndDestroy()
  }
}

/** A stream of a connection that all slots share. */
class Stream {
  #connection
  #take
  #stream

  constructor(connection, take) {
    this.#connection = connection
    this.#take = take
  }

  async ready() {
    return this
  }

  send(done) {
    this.#stream = this.#connection.send(this.#take(), done)
  }

  drop() {
    this.#connection.cancel(this.#stream)
  }
}

/** A function that makes a slot. */
export async function slotsOf(transport, port, requests) {
  const host = '127.0.0.1'
  if (transport === 'h2') {
    const connection = new Http2Connection(port, host)
    await connection.open()
    const take = inTurn(requests.map(encode))
    return () => new Stream(connection, take)
  }
  const take = inTurn(requests.map((request) => toBytes(transport === 'new' ? closing(request) : request)))
  if (transport === 'new') {
    // Ports stay reserved for a minute: with one address, they would soon be used up.
    let opened = 0
    const open = () => connect({ port, host, localAddress: `127.0.0.${2 + (opened++ % 250)}`, noDelay: true })
    return () => new NewConnection(open, take)
  }
  const open =
    transport === 'tls'
      ? () => connectTls({ port, host, rejectUnauthorized: false })
      : () => connect({ port: Number(port), host, noDelay: true })
  return () => new KeepAlive(open, take)
}

function closing(request) {
  return { ...request, headers: { ...request.headers, connection: 'close' } }
}
