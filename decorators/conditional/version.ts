/** Conditional requests by the version of a resource: a field of the payload that is sent as the header `ETag`. */
import { errorCodes, type HttpErrorClass, type Reply, type Request, type RouteSchema } from '../../lib/index.js'
import { assertKnownOptions, exchangeOf, isPlainObject, routePlace } from '../../lib/internal.js'
import { Hook, kFirstHooks, kRouteProblem } from '../declare/hook.js'
import type { Class, ClassAndMethodDecorator } from '../declare/metadata.js'
import { modelOf } from '../declare/model/ref.js'
import { getSharedSchema } from '../declare/schema.js'
import { EntityTagInvalid, VersionChanged, VersionRequired } from './errors.js'
import { type EntityTag, opaqueOf, readEntityTags, versionOf } from './entity-tags.js'

/** The types of values that a version may have, by the option `type`. */
interface VersionTypes {
  integer: number
  string: string
}

/** Options of {@link version}. */
export interface VersionOptions<T extends keyof VersionTypes> {
  /** The type of the version field: `integer` (default) or `string`. Dates count as texts. */
  readonly type?: T
  /**
   * Whether the weak tag `W/"3"` in `If-Match` counts as `"3"`. Default false, as RFC 9110 §13.1.1 demands. A proxy that compresses replies
   * makes tags weak; with this option, clients behind the proxy can send these tags back. The tag is a version, so it is the same for each
   * form of a reply.
   */
  readonly acceptsWeak?: boolean
}

/** The version of a resource, made by {@link version}: decorators for the resource's routes, and the versions that requests name. */
export interface Version<V> {
  /**
   * A decorator for routes that read the resource: the header `ETag` of their replies is the version. The reply is 304 if `If-None-Match`
   * contains this tag, and 412 if `If-Match` does not contain this tag.
   */
  tag(): ClassAndMethodDecorator
  /**
   * A decorator for routes that change the resource: a request must name in `If-Match` the version that the client has seen. If the header
   * is missing or is `*`, the reply is 428. With `optional: true` such a request reaches the handler, and {@link Version.seenIfSent}
   * returns `undefined`.
   */
  check(options?: { readonly optional?: boolean }): ClassAndMethodDecorator
  /**
   * Returns the versions that the client has seen. The current version must be one of them: compare them in the statement that writes, and
   * throw {@link VersionChanged} if the statement has changed no row.
   * @throws VersionRequired if the request names no version
   */
  seen(request: object): readonly V[]
  /** Returns the versions that the client has seen; `undefined` if the request names no version. */
  seenIfSent(request: object): readonly V[] | undefined
}

type Settings = Required<VersionOptions<keyof VersionTypes>> & { readonly field: string }

/**
 * Makes decorators for conditional requests on a resource whose version is in the field `field`:
 * ```ts
 * export const ArticleVersion = version('version')
 *
 * @Controller('/article')
 * class ArticleController {
 *   @Get()
 *   @ArticleVersion.tag()
 *   find() { return { text: 'Hello', version: 3 } } // ETag: "3"
 *
 *   @Put()
 *   @ArticleVersion.check()
 *   change(request: RouteRequest) {
 *     const seen = ArticleVersion.seen(request) // UPDATE … WHERE version = ANY($1)
 *     if (!seen.includes(3)) throw new VersionChanged()
 *   }
 * }
 * ```
 * The framework does not read the database: the handler's statement must compare the version and write in one step.
 * @param field the name of the field in the payload
 * @throws TypeError for an option that does not exist, also of `check`
 */
export function version<T extends keyof VersionTypes = 'integer'>(
  field: string,
  options: VersionOptions<T> = {},
): Version<VersionTypes[T]> {
  assertKnownOptions('version(…)', options, ['type', 'acceptsWeak'])
  const { type = 'integer' as T, acceptsWeak = false } = options
  const settings: Settings = { field, type, acceptsWeak }
  const hooks = { tag: tagHook(settings), required: checkHook(settings, true), optional: checkHook(settings, false) }
  const seenIfSent = (request: object): readonly VersionTypes[T][] | undefined =>
    seenVersions(request as Request, settings) as readonly VersionTypes[T][] | undefined
  return {
    tag: () => decorate(hooks.tag, ['preSerialization', 'onSend']),
    check(options = {}) {
      assertKnownOptions('check(…)', options, ['optional'])
      return decorate(options.optional ? hooks.optional : hooks.required, ['preHandler', 'preSerialization'])
    },
    seenIfSent,
    seen(request) {
      const versions = seenIfSent(request)
      if (versions === undefined) throw new VersionRequired()
      return versions
    },
  }
}

function decorate(hook: Class, names: readonly ('preHandler' | 'preSerialization' | 'onSend')[]): ClassAndMethodDecorator {
  const decorators = names.map((name) => Hook(name, hook as never))
  // Each returns the class that it was given.
  return (...args: [any, any?, any?]): any => decorators.map((each): unknown => each(...args))[0]
}

const etag = { type: 'string', description: 'The version, in quotes' } as const
const headersOf = (name: string, required: boolean, description: string) => ({
  type: 'object' as const,
  ...(required && { required: [name] }),
  properties: { [name]: { type: 'string', description } },
})

function tagHook(settings: Settings): Class {
  return class VersionTag {
    static readonly [kFirstHooks] = ['preSerialization', 'onSend'] as const
    static readonly [kRouteProblem] = (schema: RouteSchema) => problemOf(schema, settings.field)
    static readonly throws: HttpErrorClass[] = [EntityTagInvalid, VersionChanged]
    static readonly requestHeaders = headersOf(
      'if-none-match',
      false,
      'The ETags of the forms that the client has: the reply is 304 if one is current',
    )
    static readonly responseHeaders = { '2xx': { etag }, 304: { etag } }
    static readonly responses = { 304: { description: 'The client has the current version', content: {} } }

    preSerialization(request: Request, reply: Reply, payload: unknown): void {
      const opaque = setTag(request, reply, payload, settings)
      if (opaque === undefined) return
      try {
        assertMatch(request, opaque, settings)
      } catch (error) {
        // A cache must not keep a refusal for clients with other conditions, however long it may keep the payload.
        reply.header('cache-control', 'no-store')
        throw error
      }
      // A list that cannot be read is ignored: the client gets the whole reply.
      const known = readEntityTags(String(request.raw.headers['if-none-match'] ?? ''))
      const isKnown = known === '*' || known?.some((tag) => tag.opaque === opaque) === true
      if (isKnown && (request.method === 'GET' || request.method === 'HEAD')) unmodified.add(reply)
    }

    onSend(_request: Request, reply: Reply, payload: unknown): unknown {
      if (!unmodified.has(reply) || reply.statusCode !== 200) return payload
      reply.code(304).removeHeader('content-type').removeHeader('content-length')
      return ''
    }
  }
}

/** @throws EntityTagInvalid, VersionChanged if `If-Match` does not contain the tag of the payload */
function assertMatch(request: Request, opaque: string, settings: Settings): void {
  const tags = readList(request, 'if-match')
  const isSeen = tags === undefined || tags === '*' || tags.some((tag) => isStrong(tag, settings) && tag.opaque === opaque)
  if (!isSeen) throw new VersionChanged()
}

/** The replies that become 304, because the client has the current version. */
const unmodified = new WeakSet<Reply>()

function checkHook(settings: Settings, isRequired: boolean): Class {
  return class VersionCheck {
    static readonly [kFirstHooks] = ['preSerialization'] as const
    static readonly throws: HttpErrorClass[] = [EntityTagInvalid, VersionChanged, ...(isRequired ? [VersionRequired] : [])]
    static readonly requestHeaders = headersOf('if-match', isRequired, 'The ETag of the version that the client has seen')
    static readonly responseHeaders = { '2xx': { etag } }

    preHandler(request: Request): void {
      const seen = seenVersions(request, settings)
      if (seen === undefined && isRequired) throw new VersionRequired()
      if (seen?.length === 0) throw new VersionChanged()
    }

    preSerialization(request: Request, reply: Reply, payload: unknown): void {
      // A change may answer something else.
      if (payload !== null && typeof payload === 'object' && settings.field in payload) setTag(request, reply, payload, settings)
    }
  }
}

const read = new WeakMap<Request, Map<string, readonly (number | string)[] | undefined>>()

/**
 * Returns the versions that a request accepts: the versions in `If-Match`, without the versions in `If-None-Match`. Returns `undefined` if
 * the request accepts any version.
 * @throws EntityTagInvalid if a header is invalid; VersionChanged for `If-None-Match: *`
 */
function seenVersions(request: Request, settings: Settings): readonly (number | string)[] | undefined {
  const key = `${settings.type} ${settings.acceptsWeak}`
  let byType = read.get(request)
  if (byType === undefined) read.set(request, (byType = new Map()))
  if (byType.has(key)) return byType.get(key)
  const tags = readList(request, 'if-match')
  const excluded = readList(request, 'if-none-match')
  if (excluded === '*') throw new VersionChanged({}, 'If-None-Match: * allows no change of what is there')
  const isExcluded = (tag: EntityTag): boolean => excluded?.some(({ opaque }) => opaque === tag.opaque) === true
  const versions =
    tags === undefined || tags === '*'
      ? undefined
      : tags.filter((tag) => isStrong(tag, settings) && !isExcluded(tag)).flatMap(({ opaque }) => versionOf(opaque, settings.type) ?? [])
  byType.set(key, versions)
  return versions
}

function readList({ raw }: Request, name: 'if-match' | 'if-none-match'): readonly EntityTag[] | '*' | undefined {
  // The schema of the route may have removed it from the headers of the request.
  const text = raw.headers[name]
  if (text === undefined) return undefined
  const tags = readEntityTags(String(text))
  if (tags === undefined)
    throw new EntityTagInvalid({}, `${name === 'if-match' ? 'If-Match' : 'If-None-Match'} is not a list of entity tags: "1", "2"`)
  return tags
}

function isStrong({ isWeak }: EntityTag, { acceptsWeak }: Settings): boolean {
  return !isWeak || acceptsWeak
}

/**
 * Sets the `ETag` of a reply with a status below 300. @returns the characters between the quotes of the tag; `undefined` for other statuses
 * @throws ALC_ERR_VERSION if the payload has no version
 */
function setTag(request: Request, reply: Reply, payload: unknown, { field, type }: Settings): string | undefined {
  if (reply.statusCode >= 300) return undefined
  const value: unknown = (payload as Record<string, unknown> | null)?.[field]
  const found = value instanceof Date && type === 'string' ? value.toISOString() : value
  const isVersion = type === 'integer' ? Number.isSafeInteger(found) : typeof found === 'string' && !/\p{Surrogate}/u.test(found)
  if (!isVersion) throw new errorCodes.ALC_ERR_VERSION(routePlace(exchangeOf(request)), field, type)
  const opaque = opaqueOf(found as number | string)
  reply.header('etag', `"${opaque}"`)
  return opaque
}

/**
 * Returns the problem, and its cure, of a success response whose schema has no property `field`. A schema that is not readable here is
 * checked when a reply is sent.
 */
function problemOf({ response }: RouteSchema, field: string): readonly [string, string] | undefined {
  for (const [status, entry] of Object.entries(response ?? {})) {
    if (!status.startsWith('2') || !isPlainObject(entry)) continue
    const written: unknown = (entry['content'] as Record<string, { schema?: unknown }> | undefined)?.['application/json']?.schema ?? entry
    const model = isPlainObject(written) ? modelOf(written) : undefined
    const schema: unknown = model === undefined ? written : getSharedSchema(model)
    const properties: unknown = isPlainObject(schema) && schema['type'] === 'object' ? schema['properties'] : undefined
    if (isPlainObject(properties) && !Object.hasOwn(properties, field))
      return [
        `has the version '${field}', which is no property of its response ${status}`,
        `Add '${field}' to the schema, or name another property: version('…').`,
      ]
  }
  return undefined
}
