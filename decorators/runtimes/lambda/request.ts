/** Converts an event of Lambda to a request. */
import { isHttpEvent, type HttpEvent, type LambdaEvent, type MultiValues, type ProxyEvent, type Values } from './event-types.js'

/**
 * Returns the request of an event, with the members of a web-standard `Request` that `fetch` of a server reads. The URL is assembled from
 * the event without normalization, so that the server sees the host and the path that the client has sent.
 */
export function requestOf(event: LambdaEvent): Request {
  const headers = readHeaders(event)
  const method = isHttpEvent(event) ? event.requestContext.http.method : event.httpMethod
  const bytes = readBody(event)
  // The event has the whole body, whatever the connection to the gateway has had.
  headers.delete('transfer-encoding')
  if (bytes !== undefined && !headers.has('content-length')) headers.set('content-length', String(bytes.length))
  const host = headers.get('host') ?? event.requestContext.domainName ?? 'localhost'
  const scheme = headers.get('x-forwarded-proto') === 'http' ? 'http' : 'https'
  const query = queryOf(event)
  const url = `${scheme}://${host.toLowerCase()}${escapePath(pathOf(event))}${query === '' ? '' : `?${query}`}`
  const request: Pick<Request, 'url' | 'method' | 'bodyUsed' | 'arrayBuffer'> & { readonly body: unknown; readonly headers: EventHeaders } =
    {
      url,
      method: method.toUpperCase(),
      headers,
      bodyUsed: false,
      body: bytes === undefined ? null : bodyOf(bytes),
      arrayBuffer: async () => new Uint8Array(bytes!).buffer,
    }
  // It has what the server reads of a Request.
  return request as object as Request
}

/**
 * Returns the address of the client that the gateway has seen. A load balancer sends the address only as the last entry of
 * `x-forwarded-for`.
 */
export function addressOf(event: LambdaEvent): string | undefined {
  if (isHttpEvent(event)) return event.requestContext.http.sourceIp
  const { identity, elb } = event.requestContext
  if (elb === undefined) return identity?.sourceIp ?? undefined
  return readHeaders(event).get('x-forwarded-for')?.split(',').at(-1)?.trim()
}

/**
 * The headers of an event, with the methods of a web-standard `Headers` that the server calls. (Node loads its `Headers` on first use,
 * which takes longer than an invocation.) Names and values need no check, because the gateway has read them from HTTP.
 */
class EventHeaders {
  readonly #values = new Map<string, string>()

  get(name: string): string | null {
    return this.#values.get(name) ?? null
  }
  has(name: string): boolean {
    return this.#values.has(name.toLowerCase())
  }
  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value)
  }
  append(name: string, value: string): void {
    const key = name.toLowerCase()
    const before = this.#values.get(key)
    this.#values.set(key, before === undefined ? value : `${before}${key === 'cookie' ? '; ' : ', '}${value}`)
  }
  delete(name: string): void {
    this.#values.delete(name)
  }
  forEach(call: (value: string, name: string) => void): void {
    for (const [name, value] of this.#values) call(value, name)
  }
}

function readHeaders(event: LambdaEvent): EventHeaders {
  const headers = new EventHeaders()
  const multiple: MultiValues = (isHttpEvent(event) ? undefined : event.multiValueHeaders) ?? {}
  for (const [name, values] of Object.entries(multiple)) for (const value of values ?? []) headers.append(name, value)
  // A REST API states each header in both forms.
  for (const [name, value] of Object.entries(event.headers ?? {})) if (value !== undefined && !headers.has(name)) headers.set(name, value)
  if (isHttpEvent(event) && event.cookies !== undefined) headers.set('cookie', event.cookies.join('; '))
  return headers
}

function pathOf(event: LambdaEvent): string {
  return isHttpEvent(event) ? event.rawPath : event.path
}

/**
 * Encodes characters of a path that a URL cannot contain, because a gateway may have decoded the path. `?` and `#` are encoded, because
 * they would end the path. `%` is kept, because it may begin an encoded byte.
 */
function escapePath(path: string): string {
  return path.replaceAll(/[^\w\-.~!$&'()*+,;=:@/%]+/g, (characters) => encodeURIComponent(characters))
}

function queryOf(event: LambdaEvent): string {
  if (isHttpEvent(event)) return event.rawQueryString
  const { multiValueQueryStringParameters: multiple, queryStringParameters: single } = event
  // A load balancer passes the parameters as they were sent, a REST API decodes them.
  const encode = event.requestContext.elb === undefined ? encodeURIComponent : (text: string) => text
  return pairsOf(multiple, single)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&')
}

function pairsOf(multiple: MultiValues | null | undefined, single: Values | null | undefined): [string, string][] {
  if (multiple)
    return Object.entries(multiple).flatMap(([name, values]) => (values ?? []).map((value) => [name, value] as [string, string]))
  return Object.entries(single ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]))
}

function readBody({ body, isBase64Encoded }: HttpEvent | ProxyEvent): Buffer | undefined {
  if (body === undefined || body === null || body === '') return undefined
  return Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8')
}

/** Returns bytes in the form of a body stream, with the members of a stream that the server uses. */
function bodyOf(bytes: Buffer): unknown {
  let isRead = false
  const read = async () => {
    if (isRead) return { done: true }
    isRead = true
    return { done: false, value: bytes }
  }
  const cancel = async () => void (isRead = true)
  return { locked: false, getReader: () => ({ read, cancel }), cancel }
}
