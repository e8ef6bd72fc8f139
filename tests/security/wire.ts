/** Raw sockets for the security tests: bytes are sent and returned unchanged. */
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { createServer, type Server, type ServerOptions } from 'alcove/lib'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Target {
  readonly port: number
  readonly server: Server
}

/** Registers a test with a server that listens; `declare` fills it. The server must still answer `/alive` at the end. */
export function wireTest(
  title: string,
  declare: (server: Server) => unknown,
  run: (target: Target) => Promise<void>,
  options: ServerOptions = {},
): void {
  test(title, { timeout: 20_000 }, async () => {
    const server = createServer({ forceCloseConnections: true, ...options })
    server.get('/alive', () => 'alive')
    await declare(server)
    await server.listen({ port: 0, host: '127.0.0.1' })
    const { port } = server.server.address() as AddressInfo
    try {
      await run({ port, server })
      // An unhandled rejection is reported one turn later.
      await new Promise((resolve) => setImmediate(resolve))
      const [alive] = await exchange(port, 'GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      if (alive?.body !== 'alive') throw new Error('the server no longer answers')
    } finally {
      await server.close()
    }
  })
}

export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** How many times a silence is looked at before it is taken for one. */
const STEPS = 20

/** Writes bytes and returns all bytes that come back until the server closes the connection, or is silent for `quiet` ms. */
export async function raw(port: number, bytes: string | Buffer | readonly (string | Buffer)[], quiet = 400): Promise<Received> {
  const socket = await open(port)
  const chunks: Buffer[] = []
  const received = new Promise<Received>((resolve) => {
    const finish = (isClosed: boolean): void => {
      clearInterval(timer)
      socket.destroy()
      resolve({ text: Buffer.concat(chunks).toString('latin1'), isClosed })
    }
    // On a busy machine the first byte takes longer than the next. A stall counts as one step: what came meanwhile is read after it.
    let steps = 4 * STEPS
    const timer = setInterval(() => --steps <= 0 && finish(false), quiet / STEPS)
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      steps = STEPS
    })
    socket.on('close', () => finish(true))
  })
  for (const part of [bytes].flat()) socket.write(part)
  return received
}

export interface Received {
  readonly text: string
  /** Whether the server closed the connection. */
  readonly isClosed: boolean
}

/** The answers to the bytes that were written, in order. */
export async function exchange(port: number, bytes: string | Buffer | readonly (string | Buffer)[], quiet?: number): Promise<Answer[]> {
  return parse((await raw(port, bytes, quiet)).text)
}

/** Reads a series of responses; a chunked body is put together. */
export function parse(text: string): Answer[] {
  const answers: Answer[] = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const [line = '', ...fields] = rest.slice(0, end === -1 ? undefined : end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1])
    if (Number.isNaN(status)) throw new Error(`not a response: ${JSON.stringify(rest.slice(0, 200))}`)
    const headers: Record<string, string> = Object.create(null)
    for (const field of fields) {
      const colon = field.indexOf(':')
      const name = field.slice(0, colon).toLowerCase()
      headers[name] = headers[name] === undefined ? field.slice(colon + 1).trim() : `${headers[name]}\n${field.slice(colon + 1).trim()}`
    }
    rest = end === -1 ? '' : rest.slice(end + 4)
    let body = ''
    if (headers['transfer-encoding'] === 'chunked') {
      for (;;) {
        const size = Number.parseInt(rest, 16)
        const start = rest.indexOf('\r\n') + 2
        if (!(size >= 0) || start === 1) break
        body += rest.slice(start, start + size)
        rest = rest.slice(start + size + 2)
        if (size === 0) break
      }
    } else if (headers['content-length'] !== undefined) {
      body = rest.slice(0, Number(headers['content-length']))
      rest = rest.slice(Number(headers['content-length']))
    } else if (status >= 200 && status !== 204 && status !== 304) {
      body = rest
      rest = ''
    }
    if (status !== 100) answers.push({ status, headers, body })
  }
  return answers
}

/** A request that closes its connection. */
export function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`
}

export function post(path: string, type: string | undefined, body: string | Buffer, headers = ''): Buffer {
  const bytes = Buffer.from(body as string)
  const typed = type === undefined ? '' : `Content-Type: ${type}\r\n`
  return Buffer.concat([
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${typed}Content-Length: ${bytes.length}\r\n${headers}\r\n`,
      'latin1',
    ),
    bytes,
  ])
}

/** A logger that collects its lines. */
export function recorder(): { lines: any[]; logger: any } {
  const lines: any[] = []
  const logger: any = {}
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal']) {
    logger[level] = (given: any, message?: string) => lines.push({ level, given, message })
  }
  logger.child = () => logger
  logger.level = 'trace'
  return { lines, logger }
}

/** All kinds of values that code can throw. */
export function thrownValues(): Record<string, () => unknown> {
  return {
    undefined: () => undefined,
    null: () => null,
    'an empty string': () => '',
    'a string': () => 'secret',
    'a number': () => 42,
    NaN: () => Number.NaN,
    'a bigint': () => 1n,
    'a symbol': () => Symbol('secret'),
    'a function': () => () => {},
    'an object': () => ({ secret: true }),
    'an object without a prototype': () => Object.create(null),
    'an array': () => [1, 2],
    'a frozen error': () => Object.freeze(new Error('secret')),
    'a frozen object': () => Object.freeze({ message: 'secret' }),
    'an error with a status of 9999': () => Object.assign(new Error('secret'), { statusCode: 9999 }),
    'an error with a status of x': () => Object.assign(new Error('secret'), { statusCode: 'x' }),
    'an error with a status of NaN': () => Object.assign(new Error('secret'), { statusCode: Number.NaN, status: -1 }),
    'an error whose getters throw': () => hostile(['statusCode', 'status', 'headers', 'expose', 'code', 'validation']),
    'an error whose message throws': () => hostile(['message', 'stack', 'name', 'cause', 'toString', 'toJSON', 'then']),
    'an error with a message that is not a string': () => Object.assign(new Error('x'), { message: { toString: null } }),
    'an error with a code that is not a string': () => Object.assign(new Error('secret'), { code: Object.create(null) }),
    'an error with a bigint for a code': () => Object.assign(new Error('secret'), { code: 1n, expose: true }),
    'an error with bad headers': () => Object.assign(new Error('secret'), { headers: { 'x-bad': 'a\r\nb: c', 'bad name': '1' } }),
    'an error with headers that throw': () =>
      Object.assign(new Error('secret'), {
        headers: {
          get x() {
            throw new Error('secret')
          },
        },
      }),
    'an error that is its own cause': () => {
      const error: any = new Error('secret')
      error.cause = error
      return error
    },
    'an error with a huge cause': () => {
      let error = new Error('secret')
      for (let depth = 0; depth < 5_000; depth++) error = new Error('secret', { cause: error })
      return error
    },
    'an aggregate of errors': () => new AggregateError([new Error('secret'), null], 'secret'),
    'a revoked proxy': () => revoked({}),
    'a revoked proxy of an error': () => revoked(new Error('secret')),
    'a thenable': () => ({ then: () => {} }),
    'a DOMException': () => new DOMException('secret', 'AbortError'),
  }
}

export function revoked(target: object): any {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

function hostile(names: readonly string[]): Error {
  const error = new Error('secret')
  for (const name of names) {
    Object.defineProperty(error, name, {
      get() {
        throw new Error(`secret ${name}`)
      },
    })
  }
  return error
}
