/**
 * Compares the replies of a test server with the descriptions of the routes, from which OpenAPI documents and clients are made. The replies
 * of a route that declares no replies are not compared.
 */
import { errorCodes, type Reply, type Request, type RouteDescription } from '../../lib/index.js'
import {
  compileDeprecation,
  type Context,
  type DeclaredRoute,
  type DeprecationHeaders,
  createDocumentValidator,
  describeOne,
  type DocumentValidator,
  type FindProblem,
  type HookFunction,
  isResponse,
  type ReplyWatcher,
  responseKeyOf,
} from '../../lib/internal.js'
import { Components } from '../contract/openapi/components.js'
import { bareType, isJson } from '../contract/openapi/messages.js'
import { converterFor } from '../contract/openapi/operations.js'

/** The status and the headers of a reply, as they are sent. */
type ReplyHead = Pick<Reply, 'statusCode' | 'getHeader' | 'hasHeader'>

/** Returns the head of a reply whose payload is a `Response`: its status and headers replace those of the reply when it is sent. */
function headOfResponse(reply: Reply, { status, headers }: Response): ReplyHead {
  return {
    statusCode: status,
    getHeader: (name) => headers.get(name) ?? reply.getHeader(name),
    hasHeader: (name) => headers.has(name) || reply.hasHeader(name),
  }
}

/** Finds replies that differ from the description of their route, and keeps each fault with its response. */
export class ReplyFaults implements ReplyWatcher {
  /** Whether a fault makes the test fail (`check`) or is printed (`warn`). */
  readonly #mode: 'check' | 'warn'
  readonly #validator: DocumentValidator
  readonly #components = new Components(() => {})
  readonly #faults = new Map<object, Error>()
  /** The comparisons that wait for the body of a response, because its payload is a stream or a `Response`. */
  readonly #comparisons = new WeakMap<object, (body: Buffer) => void>()
  readonly #warned = new Set<string>()

  static async create(mode: 'check' | 'warn'): Promise<ReplyFaults> {
    return new ReplyFaults(mode, await createDocumentValidator())
  }

  private constructor(mode: 'check' | 'warn', validator: DocumentValidator) {
    this.#mode = mode
    this.#validator = validator
  }

  noteFault(response: object, fault: Error): void {
    if (this.#mode === 'check' && !this.#faults.has(response)) this.#faults.set(response, fault)
    if (this.#mode !== 'warn' || this.#warned.has(fault.message)) return
    this.#warned.add(fault.message)
    process.emitWarning(fault)
  }

  createHook(context: Context, declared: DeclaredRoute): HookFunction {
    let check: RouteCheck | undefined
    return (request: Request, reply: Reply, payload: unknown, done: () => void) => {
      const current = (check ??= new RouteCheck(context, declared, this.#components, this.#validator))
      const head = isResponse(payload) ? headOfResponse(reply, payload) : reply
      const compare = (body: unknown): boolean => {
        const problem = current.findProblem(head, body, request.method)
        if (problem === undefined) return true
        const title = `${current.route.place}: ${request.method} ${current.route.url}`
        this.noteFault(reply.raw, new errorCodes.ALC_ERR_REPLY_UNDESCRIBED(title, head.statusCode, problem))
        return false
      }
      const body = isResponse(payload) ? payload.body : payload
      // The other parts of the reply are compared now, because a stream may be cut off, or may be sent in another way than by `inject`.
      if (compare(body) && isSource(body) && request.method !== 'HEAD') this.#comparisons.set(reply.raw, compare)
      done()
    }
  }

  /** Throws the fault of a response, if the response has one. @throws ALC_ERR_REPLY_UNDESCRIBED, ALC_ERR_ERROR_UNLISTED */
  assertDescribed(response: object, body: Buffer | undefined): void {
    const fault = this.takeFault(response, body)
    if (fault !== undefined) throw fault
  }

  /**
   * Returns the fault of a response and forgets it; `undefined` if the response has no fault.
   * @param body the body that the client got; `undefined` if it is not known
   */
  takeFault(response: object, body: Buffer | undefined): Error | undefined {
    if (body !== undefined) this.#comparisons.get(response)?.(body)
    const fault = this.#faults.get(response)
    this.#faults.delete(response)
    return fault
  }

  /**
   * Throws the first fault of the responses that did not pass through `inject` or `call`, whose faults are taken at once. @throws the
   * errors of {@link assertDescribed}
   */
  assertOthersDescribed(): void {
    const [fault] = this.#faults.values()
    if (fault !== undefined) throw fault
  }
}

/** Compares the replies of one route with the description of the route. */
class RouteCheck {
  readonly route: RouteDescription
  readonly #declaresReplies: boolean
  readonly #deprecation: DeprecationHeaders | null
  readonly #convert: ReturnType<typeof converterFor>
  readonly #components: Components
  readonly #validator: DocumentValidator
  /** The compiled checks of bodies by status and media type, and of headers by status and name. */
  readonly #finders = new Map<string, FindProblem>()

  constructor(context: Context, declared: DeclaredRoute, components: Components, validator: DocumentValidator) {
    const { route, schemas } = describeOne(context, declared)
    this.route = route
    this.#deprecation = compileDeprecation(route.deprecation ?? false)
    this.#declaresReplies = Object.values(route.responses).some(
      ({ from, isUnknown }) => isUnknown !== true && from.some((each) => each !== 'alcove'),
    )
    this.#convert = converterFor(route, 'Reply', { components, description: { schemas } })
    this.#components = components
    this.#validator = validator
  }

  /**
   * Returns a text about the first difference between a reply and its description, with the cure; `undefined` if there is no difference.
   */
  findProblem(reply: ReplyHead, payload: unknown, method: string): string | undefined {
    const missing = this.#findMissingDeprecation(reply)
    if (missing !== undefined) return missing
    if (!this.#declaresReplies || this.route.docs.hide === true) return undefined
    const { responses } = this.route
    const status = String(reply.statusCode)
    const key = responseKeyOf(status, (each) => responses[each] !== undefined)
    if (key === undefined) return this.#findUnlisted(status, payload)
    return this.#findHeaderProblem(key, reply) ?? this.#findBodyProblem(key, reply, payload, method)
  }

  /** Returns a text if the application has removed or replaced a header of a deprecated route; otherwise `undefined`. */
  #findMissingDeprecation(reply: ReplyHead): string | undefined {
    for (const [name, value] of Object.entries(this.#deprecation ?? {}))
      if (value !== undefined && !String(reply.getHeader(name)).includes(String(value)))
        return `lacks the header '${name}: ${value}', which the option deprecated declares. Do not remove or replace it, or change the option.`
    return undefined
  }

  #findUnlisted(status: string, payload: unknown): string | undefined {
    const { responses } = this.route
    // A failure of the server needs no description. A route that describes no success reply leaves all of them open.
    const isOpen = status === '500' || (status.startsWith('2') && !Object.keys(responses).some((key) => key.startsWith('2')))
    if (isOpen) return undefined
    const cure =
      status.startsWith('2') || status.startsWith('3')
        ? `Write response: { ${status}: … } in the schema of the route, or reply with another status.`
        : `Write response: { ${status}: … } in the schema of the route, or throws with the class of the error; in a guard or error handler static responses = { ${status}: … }.`
    return `is not described. Described are ${Object.keys(responses).join(', ')}. ${cure} The payload is ${shortPayload(payload)}`
  }

  #findHeaderProblem(key: string, reply: ReplyHead): string | undefined {
    for (const [name, schema] of Object.entries(this.route.responses[key]!.headers ?? {})) {
      const value = reply.getHeader(name)
      if (value === undefined) continue
      const find = this.#finderOf(`${key} ${name}`, () =>
        this.#validator.compileForText(name, this.#convert(schema, `header ${name}`, 'Header'), this.#components.schemas),
      )
      const problem = find(value)
      if (problem !== undefined) return `has a header that is not as described: ${problem}. Change the header, or its schema.`
    }
    return undefined
  }

  #findBodyProblem(key: string, reply: ReplyHead, payload: unknown, method: string): string | undefined {
    const { content, isUnknown } = this.route.responses[key]!
    // Replies with these statuses have no body, whatever the handler returns (RFC 9110 §6.4.1).
    const isBodiless = [204, 205, 304].includes(reply.statusCode)
    if (isUnknown === true || isBodiless) return undefined
    const types = Object.keys(content)
    if (isEmpty(payload)) return method === 'HEAD' ? undefined : this.#findMissingBody(key, types)
    if (types.length === 0)
      return `has a body, but none is described. Describe it, or send nothing. The payload is ${shortPayload(payload)}`
    const type = bareType(String(reply.getHeader('content-type') ?? ''))
    const described = types.find((each) => bareType(each) === type) ?? types.find((each) => each === '*/*')
    if (described === undefined)
      return `has the media type '${type}', but ${types.join(', ')} is described. Write response: { ${key}: { content: { '${type}': { schema: … } } } }, or set another type.`
    const value = readPayload(type, payload, content[described], reply)
    if (value === undefined) return undefined
    const problem = this.#bodyFinderOf(key, described)(value)
    return problem === undefined
      ? undefined
      : `has a body that is not as described: ${problem}. Change the schema or the reply. The payload is ${shortPayload(payload)}`
  }

  /** Returns a text if JSON is described, and its schema refuses that there is none. Other media types have a body that is empty. */
  #findMissingBody(key: string, types: readonly string[]): string | undefined {
    if (types.length === 0 || !types.every(isJson) || this.#bodyFinderOf(key, types[0]!)(notJson) === undefined) return undefined
    return `has no body, but ${types.join(', ')} is described. Send one, or write response: { ${key}: { type: 'null' } }.`
  }

  #bodyFinderOf(key: string, type: string): FindProblem {
    const { content } = this.route.responses[key]!
    return this.#finderOf(`${key} ${type}`, () =>
      this.#validator.compile('body', this.#convert(content[type], `response ${key}`, 'Response'), this.#components.schemas),
    )
  }

  #finderOf(name: string, make: () => FindProblem): FindProblem {
    let find = this.#finders.get(name)
    if (find === undefined) this.#finders.set(name, (find = make()))
    return find
  }
}

/** Whether the bytes of a payload are known only when they have been sent, as those of a stream. */
function isSource(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && !Buffer.isBuffer(payload)
}

function isEmpty(payload: unknown): boolean {
  return payload == null || payload === '' || (Buffer.isBuffer(payload) && payload.length === 0)
}

/** Returns a payload as the value to validate; `undefined` for bytes and streams, which are not validated. */
function readPayload(type: string, payload: unknown, schema: unknown, reply: ReplyHead): unknown {
  if ((typeof payload !== 'string' && !Buffer.isBuffer(payload)) || reply.hasHeader('content-encoding')) return undefined
  if (isJson(type)) return parseJson(String(payload))
  const { type: wanted, format } = (schema ?? {}) as { readonly type?: unknown; readonly format?: unknown }
  return wanted === 'string' && format !== 'binary' ? String(payload) : undefined
}

/** The value of a text that is not JSON: a symbol, which fits no schema but that of any value. */
const notJson = Symbol('not JSON')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return notJson
  }
}

function shortPayload(payload: unknown): string {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload == null ? 'empty' : 'a stream'
  const text = String(payload)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text || 'empty'
}
