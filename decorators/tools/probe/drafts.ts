/** Requests of a probe as data, which can be changed and made smaller before they are sent. */
import type { InjectOptions } from '../../../lib/index.js'
import { isJson } from '../../contract/openapi/messages.js'
import { isMultipart } from '../../client/route-entry.js'
import { isObject } from '../../../lib/internal.js'
import type { Kind, Place } from './places.js'
import type { Target } from './targets.js'

/** The body of a request: a value that is written in the body's media type, or bytes (`raw`) that are sent unchanged. */
export interface DraftBody {
  /** The media type; `undefined` for a body without one. */
  readonly type: string | undefined
  readonly value?: unknown
  readonly raw?: string | Buffer
}

/** The place of a value in a request: path parameters, query string, headers, cookies or body. */
export type Part = 'params' | 'query' | 'headers' | 'cookies' | 'body'

/** A generated request to a route, before it is written for `inject`. */
export interface Draft {
  readonly kind: Kind
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, unknown>>
  readonly cookies: Readonly<Record<string, unknown>>
  readonly body?: DraftBody
  /** A text that is appended to the URL unchanged. */
  readonly tail?: string
  /** Whether the request is sent without credentials. */
  readonly isAnonymous?: boolean
  /** The changed value's place in the request, or a text that says how the request is broken. */
  readonly changed?: { readonly part: Part; readonly path: Place['path'] } | string
}

const BOUNDARY = 'probe'

/** Converts a generated request to the options of `inject`. */
export function toInject({ method, texts, parameters }: Target, draft: Draft): InjectOptions {
  const { params, query, headers, cookies, body, tail = '' } = draft
  const path = texts.map((text, index) => {
    const parameter = parameters[index]
    return parameter === undefined
      ? encodeURI(text)
      : encodeURI(text) + encodeParameter(textOf(params[parameter.name]), parameter.name === '*')
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const each of value) search.append(name, textOf(each))
    else if (isObject(value)) for (const [key, each] of Object.entries(value)) search.append(key, textOf(each))
    else if (value !== undefined) search.append(name, textOf(value))
  }
  const written: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) written[name] = headerText(value)
  const pairs = Object.entries(cookies).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encode(textOf(value))}`]))
  if (pairs.length > 0) written['cookie'] = pairs.join('; ')
  const payload = body === undefined ? undefined : (body.raw ?? write(body))
  if (body?.type !== undefined) written['content-type'] = isMultipart(body.type) ? `${body.type}; boundary=${BOUNDARY}` : body.type
  const text = search.toString()
  return {
    method,
    url: `${path.join('') || '/'}${text === '' ? '' : `?${text}`}${tail}`,
    ...(Object.keys(written).length > 0 && { headers: written }),
    ...(payload !== undefined && { payload }),
  }
}

function encodeParameter(text: string, isWildcard: boolean): string {
  // A parser of URLs would resolve these as steps of the path.
  if (text === '.' || text === '..') return text.replaceAll('.', '%2e')
  return isWildcard ? text.split('/').map(encode).join('/') : encode(text)
}

function encode(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns a value as the text of a header. Characters that headers must not have are replaced with `?`. */
function headerText(value: unknown): string {
  return textOf(value).replaceAll(/[^\t\u0020-\u007e]/g, '?')
}

function write({ type = '', value }: DraftBody): string {
  if (isJson(type)) return JSON.stringify(value) ?? ''
  const members = isObject(value) ? Object.entries(value) : undefined
  if (members === undefined) return textOf(value)
  const entries = members.flatMap(([name, member]) => [member].flat().map((each) => [name, textOf(each)] as const))
  if (isMultipart(type)) {
    const parts = entries.map(
      ([name, text]) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${encode(name)}"\r\n\r\n${text}\r\n`,
    )
    return `${parts.join('')}--${BOUNDARY}--\r\n`
  }
  return type.includes('urlencoded') ? entries.map(([name, text]) => `${encode(name)}=${encode(text)}`).join('&') : JSON.stringify(value)
}
