/** Generates the requests to a route: valid requests, and requests that are changed at one place or broken. */
import { isJson } from '../../contract/openapi/messages.js'
import { behindReference } from '../../contract/openapi/component-references.js'
import { isObject } from '../../../lib/internal.js'
import { mainBodyType } from '../../client/route-entry.js'
import type { Draft, DraftBody, Part } from './drafts.js'
import { fitting, put } from '../values/fitting.js'
import { garbled } from './garble.js'
import { type Candidate, candidatesAt, Extended, type Kind, type Place, placesOf, Repeated, valueAt, withValueAt } from './places.js'
import type { Random } from '../values/random.js'
import { memberOf, type Target } from './targets.js'

/** A change of a request: a value, and the place where it replaces the original value. */
interface Change extends Candidate {
  readonly part: Part
  readonly place: Place
}

/** The kinds of requests in the order in which they are generated. The order is repeated. */
const order: readonly Kind[] = [
  'valid',
  'boundary',
  'garbled',
  'boundary',
  'mistyped',
  'poisoned',
  'boundary',
  'oversized',
  'mistyped',
  'poisoned',
]
/** The headers that are not generated, because they belong to the connection or to the body. */
const reservedHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'transfer-encoding',
  'cookie',
  'upgrade',
  'expect',
])
/** One of this many requests is sent without credentials. */
const ANONYMOUS = 12

/** The values that earlier replies contained, by the names of their members, so that requests can use ids that exist. */
export type SeenValues = ReadonlyMap<string, readonly unknown[]>

export class DraftMaker {
  readonly #target: Target
  readonly #random: Random
  readonly #seen: SeenValues
  readonly #changes = new Map<Kind, Change[]>()
  readonly #next = new Map<Kind, number>()
  #made = 0

  constructor(target: Target, random: Random, seen: SeenValues) {
    this.#target = target
    this.#random = random
    this.#seen = seen
    for (const change of random.shuffle(changesOf(target))) {
      const changes = this.#changes.get(change.kind)
      if (changes === undefined) this.#changes.set(change.kind, [change])
      else changes.push(change)
    }
  }

  /** Generates the next request. */
  next(): Draft {
    const index = this.#made++
    const draft = this.#draftOf(order[index % order.length]!)
    return this.#random.int(1, ANONYMOUS) === 1 ? { ...draft, isAnonymous: true } : draft
  }

  #draftOf(kind: Kind): Draft {
    const valid = this.valid()
    if (kind === 'garbled') return garbled(valid, this.#target, this.#random)
    const changes = this.#changes.get(kind)
    if (changes === undefined) return valid
    const at = this.#next.get(kind) ?? 0
    this.#next.set(kind, at + 1)
    if (at < changes.length) return this.#change(this.valid(true), changes[at]!)
    // Each change has been made alone: now some are made together.
    return this.#random.list(1, 3, () => this.#random.pick(changes)).reduce((draft, change) => this.#change(draft, change), valid)
  }

  /** Generates a request that the route mostly accepts. @param isFull whether all optional members are present */
  valid(isFull: boolean = this.#random.chance(0.5)): Draft {
    const { params, query, headers, cookies, parameters, components } = this.#target
    const fit = { random: this.#random, components, isFull }
    const values = Object.fromEntries(
      parameters.map(({ name, pattern, isOptional }): [string, unknown] => {
        if (isOptional && !isFull) return [name, '']
        const seen = this.#seen.get(name)
        if (seen !== undefined && this.#random.chance(0.7)) return [name, this.#random.pick(seen)]
        const schema = memberOf(params, name, components)
        return [name, fitting(pattern === undefined ? schema : { type: 'string', pattern, ...schema }, fit)]
      }),
    )
    const members = (schema: unknown): Record<string, unknown> => {
      if (!isObject(schema) || Object.keys(schema).length === 0) return {}
      const value = fitting({ type: 'object', ...schema }, fit)
      return isObject(value) ? value : {}
    }
    const fields = Object.entries(members(headers)).filter(([name]) => !reservedHeaders.has(name.toLowerCase()))
    const { version } = this.#target.route.constraints ?? {}
    return {
      kind: 'valid',
      params: values,
      query: members(query),
      headers: { ...Object.fromEntries(fields), ...(typeof version === 'string' && { 'accept-version': version }) },
      cookies: members(cookies),
      ...this.#body(isFull),
    }
  }

  #body(isFull: boolean): { readonly body?: DraftBody } {
    const { bodies, readsBody, components } = this.#target
    if (!readsBody) return {}
    const fit = { random: this.#random, components, isFull }
    if (bodies.length === 0) return this.#random.chance(0.5) ? {} : { body: { type: 'application/json', value: fitting(true, fit) } }
    const main = mainBodyType(Object.fromEntries(bodies))
    const [type, schema] = (isFull && bodies.find(([each]) => each === main)) || this.#random.pick(bodies)
    return { body: { type: type.includes('*') ? 'application/octet-stream' : type, value: this.#withSeen(fitting(schema, fit)) } }
  }

  /** Returns a body in which some ids are replaced with ids from earlier replies. */
  #withSeen(value: unknown): unknown {
    if (!isObject(value)) return value
    for (const [name, own] of Object.entries(value)) {
      const seen = /id$/i.test(name) ? this.#seen.get(name) : undefined
      const other = seen === undefined || !this.#random.chance(0.5) ? own : this.#random.pick(seen)
      if (typeof other === typeof own) put(value, name, other)
    }
    return value
  }

  #change(draft: Draft, { part, place, kind, value }: Change): Draft {
    const { path } = place
    const changed = { part, path }
    const made = (old: unknown): unknown => this.#valueOf(value, place, old)
    if (part !== 'body') return { ...draft, kind, changed, [part]: withValueAt(draft[part], path, made) }
    const { body } = draft
    const [type] = this.#target.bodies.find(([each]) => isJson(each)) ?? []
    if (type === undefined && body?.value === undefined) return draft
    return { ...draft, kind, changed, body: { type: type ?? body!.type, value: withValueAt(body?.value, path, made) } }
  }

  #valueOf(value: unknown, { path, schema }: Place, old: unknown): unknown {
    const { components } = this.#target
    const fit = { random: this.#random, components }
    if (value instanceof Repeated) {
      // A long list repeats one item: as many different ones would take long to make.
      const items = Array.from({ length: Math.min(value.size, 3) }, () => fitting(schema.items, fit, path.length))
      return Array.from({ length: value.size }, (_, index) => items[index % items.length])
    }
    if (!(value instanceof Extended)) return value
    const copy = {}
    if (isObject(old)) for (const [name, member] of Object.entries(old)) put(copy, name, member)
    for (const [name, member] of value.members) {
      if (member === undefined) delete (copy as Record<string, unknown>)[name]
      else put(copy, name, member)
    }
    return copy
  }
}

/**
 * Returns the changes to try in requests of a route: each candidate value at each place of the params, query, headers, cookies and body.
 */
function changesOf({ params, query, headers, cookies, parameters, bodies, components }: Target): Change[] {
  const changesAt = (part: Part, places: readonly Place[], isText: boolean): Change[] =>
    places.flatMap((place) => candidatesAt(place, isText).map((candidate) => ({ ...candidate, part, place })))
  const inPart = (part: Part, schema: unknown): Change[] => {
    const { properties = {} } = (behindReference(schema, components) ?? {}) as { properties?: Record<string, unknown> }
    const places = Object.entries(properties).flatMap(([name, member]): Place[] => {
      if (part === 'headers' && reservedHeaders.has(name.toLowerCase())) return []
      return [{ path: [name], schema: behindReference(member, components) ?? {} }]
    })
    return changesAt(part, places, true)
  }
  return [
    ...changesAt(
      'params',
      parameters.map(({ name }) => ({ path: [name], schema: behindReference(memberOf(params, name, components), components) ?? {} })),
      true,
    ),
    ...inPart('query', query),
    ...inPart('headers', headers),
    ...inPart('cookies', cookies),
    ...bodies.slice(0, 1).flatMap(([, schema]) => changesAt('body', placesOf(schema, components), false)),
  ]
}

/** Whether a smaller request still has the changed value of the original request. Long texts and lists may have become shorter. */
export function keepsChange(draft: Draft, original: Draft): boolean {
  const { changed } = original
  if (changed === undefined) return false
  if (typeof changed === 'string')
    return draft.body?.raw === original.body?.raw && draft.tail === original.tail && original.kind === draft.kind
  const valueIn = (each: Draft): unknown => valueAt(changed.part === 'body' ? each.body?.value : each[changed.part], changed.path)
  const [own, other] = [valueIn(draft), valueIn(original)]
  return JSON.stringify(own) === JSON.stringify(other) || (isLong(own) && isLong(other) && typeof own === typeof other)
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' ? value.length > LONG_TEXT : Array.isArray(value) && value.length > LONG_LIST
}

/** The lengths from which a text or (`LONG_LIST`) a list is described only by its length. */
export const LONG_TEXT = 40
export const LONG_LIST = 5
