/** Answers clients whose bytes are not a valid HTTP request, on the bare socket. */
import type { Socket } from 'node:net'
import { dropFurther, isDropping, linger } from '../../http/connection-states.js'
import type { ErrorFormat } from '../../http/error-payload.js'
import { currentResponse, type HttpSocket, latestRequest } from '../../http/node-internals.js'
import { isHeadSent } from '../../http/response.js'
import type { Logger } from '../../types/logger.js'
import { STATUS_CODES } from '../../util/node/modules.js'

type ClientErrorListener = (error: NodeJS.ErrnoException, socket: Socket) => void

/** ms that a handler of the application has to answer a client and end its connection */
const HANDLER_GRACE_MS = 1_000

/**
 * Makes the listener for Node's event `clientError`. If the application's handler fails, the default handler answers. A connection that the
 * application's handler leaves open is destroyed.
 */
export function createClientErrorListener(
  handle: ((error: any, socket: Socket) => unknown) | undefined,
  log: Logger,
  errorFormat: () => ErrorFormat,
): ClientErrorListener {
  const answer = createDefaultListener(log, errorFormat)
  if (handle === undefined) return answer
  return async function handleClientError(error, socket) {
    // A client that leaves while a reply goes on must be noticed, and further bytes are not further errors.
    if (currentResponse(socket) !== undefined) dropFurther(socket)
    const before = socket.bytesWritten
    setTimeout(() => destroyWhenAnswered(socket), HANDLER_GRACE_MS).unref()
    try {
      await handle(error, socket)
    } catch (failure) {
      log.error({ err: failure }, 'clientErrorHandler failed')
      // Bytes that the handler wrote cannot be taken back.
      if (socket.bytesWritten > before) socket.destroy()
      else answer(error, socket)
    }
  }
}

function destroyWhenAnswered(socket: HttpSocket): void {
  const current = currentResponse(socket)
  if (current === undefined) socket.destroy()
  else current.once('close', () => destroyWhenAnswered(socket))
}

/** Writes a whole error reply to a socket. The caller closes the socket. */
export function writeRawError(socket: Socket, statusCode: number, message: string, { payload, mediaType }: ErrorFormat): void {
  const body = JSON.stringify(payload({ statusCode, message }))
  const head = [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    `Content-Length: ${body.length}`,
    `Content-Type: ${mediaType}`,
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/**
 * An error of Node's HTTP parser. `rawPacket`: the bytes in which the error was found. `bytesParsed`: the number of these bytes up to the
 * error.
 */
type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number }

/**
 * Whether an error was found in a well-formed request line that names a major version of HTTP other than 1. Node's parser itself refuses
 * most other versions.
 */
function hasOtherMajorVersion({ code, rawPacket, bytesParsed }: ParseError): boolean {
  if (code !== 'HPE_INVALID_VERSION' || rawPacket === undefined || bytesParsed === undefined) return false
  // The parser stops behind the version. If the line came in pieces, `HTTP` may be in an earlier piece: such a request is answered 400.
  return /^HTTP\/[02-9]\.\d\r?\n?$/.test(rawPacket.toString('latin1', Math.max(0, bytesParsed - 8), bytesParsed + 2))
}

/** Returns the status, the message and the name for the log of an error that Node reports (RFC 9110 §15.5, §15.6.6). */
function describeError(error: ParseError): [status: number, message: string, name: string] {
  const { code } = error
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'Client Timeout', 'timeout']
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'Exceeded maximum allowed HTTP header size', 'header_overflow']
  if (hasOtherMajorVersion(error)) return [505, 'HTTP Version Not Supported', 'version']
  return [400, 'Client Error', 'error']
}

function createDefaultListener(log: Logger, errorFormat: () => ErrorFormat): ClientErrorListener {
  return function answerClientError(error, connection) {
    const socket: HttpSocket = connection
    // The client has left, or was answered.
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    // Replies come in the order of requests: complete requests that came before the bad bytes are answered first.
    const current = currentResponse(socket)
    if (current?.req.complete === true) {
      dropFurther(socket)
      return void current.once('close', () => answerClientError(error, socket))
    }
    const [status, message, name] = describeError(error)
    log.trace({ err: error }, `client ${name}`)
    // If a response is in progress, the bytes of an error reply would become part of its body. If a response was already sent early, the
    // client would read them as the reply to its next request.
    const isAnswered = current === undefined ? latestRequest(socket)?.complete === false : isHeadSent(current)
    if (socket.writable && !isAnswered) writeRawError(socket, status, message, errorFormat())
    // Bytes that were not read would reset the connection, and the client would lose the replies before.
    if (isDropping(socket)) linger(socket)
    else socket.destroy(error)
  }
}
