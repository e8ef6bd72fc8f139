/** Generated requests over HTTP/2: what they say beside the framing, which is HTTP/2's own. */
import { connect } from 'node:http2'

/** They belong to a connection of HTTP/1, or are pseudo headers here. */
const ofHttp1 = new Set(['connection', 'host', 'transfer-encoding', 'upgrade', 'keep-alive', 'proxy-connection', 'http2-settings', 'te'])

export class Session {
  #session

  constructor(port) {
    this.#session = connect(`http://127.0.0.1:${port}`)
    this.#session.on('error', () => {})
  }

  get isClosed() {
    return this.#session.closed || this.#session.destroyed
  }

  /** Sends a request and gives its answers: one, or none where the stream was refused or cannot be sent. */
  exchange({ method, target, headers, body }) {
    return new Promise((resolve) => {
      const fields = { ':method': method, ':path': target }
      for (const [name, value] of headers) {
        const lower = name.toLowerCase()
        // A length that does not hold is refused by the library below.
        if (ofHttp1.has(lower) || lower === 'content-length') continue
        fields[lower] = lower in fields ? [fields[lower], value].flat() : value
      }
      let stream
      try {
        stream = this.#session.request(fields, { endStream: body === undefined })
      } catch {
        return resolve([])
      }
      let answer
      const chunks = []
      stream.on('response', (received) => (answer = received))
      stream.on('data', (chunk) => chunks.push(chunk))
      stream.on('error', () => {})
      stream.on('close', () =>
        resolve(answer === undefined ? [] : [{ status: answer[':status'], headers: answer, body: Buffer.concat(chunks).toString('utf8') }]),
      )
      if (body !== undefined) stream.end(body)
    })
  }

  destroy() {
    this.#session.destroy()
  }
}
