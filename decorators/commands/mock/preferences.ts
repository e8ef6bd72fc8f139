/** Chooses the declared response for a request, by the request headers Prefer (RFC 7240) and Accept. */
import type { ContractContent, ContractOperation, ContractResponse } from '../../contract/document/contract-types.js'
import { isJson } from '../../contract/openapi/messages.js'

export interface Preference {
  /** The status that the client prefers: `Prefer: code=404`. */
  readonly code?: string
  /** The name of the example that the client prefers: `Prefer: example=empty`. */
  readonly example?: string
  /** Whether the client prefers a newly generated value for each request: `Prefer: dynamic=true`. */
  readonly isDynamic: boolean
}

const preference = /(?:^|,)\s*([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^\s,;"]*))?(?:\s*;[^,"]*)*/g

export function readPreference(header: string | readonly string[] | undefined): Preference {
  const found = new Map<string, string>()
  for (const [, name, value = ''] of [header ?? []].flat().join(',').matchAll(preference)) {
    const text = value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value
    // If a preference is repeated, the first one counts (RFC 7240 §2).
    if (!found.has(name!.toLowerCase())) found.set(name!.toLowerCase(), text)
  }
  const [code, example, dynamic] = ['code', 'example', 'dynamic'].map((name) => found.get(name))
  return {
    ...(code !== undefined && { code }),
    ...(example !== undefined && { example }),
    isDynamic: dynamic !== undefined && dynamic !== 'false',
  }
}

export interface ChosenResponse {
  readonly status: number
  readonly response: ContractResponse
}

/**
 * Chooses the response of an operation: for the status that the client prefers, or without a preference the first declared success,
 * `default`, or the first declared response. Returns `undefined` if no response is declared for the preferred status.
 * @param code the status that the client prefers
 */
export function chooseResponse({ responses }: ContractOperation, code: string | undefined): ChosenResponse | undefined {
  const keys = Object.keys(responses).toSorted()
  if (code !== undefined) {
    const key = /^[1-5]\d\d$/.test(code) ? [code, `${code[0]}XX`, 'default'].find((each) => responses[each] !== undefined) : undefined
    return key === undefined ? undefined : { status: Number(code), response: responses[key]! }
  }
  const key = keys.find((each) => each.startsWith('2')) ?? (responses['default'] === undefined ? keys[0] : 'default')
  if (key === undefined) return { status: 200, response: { description: '', headers: {}, content: {}, extensions: {} } }
  return { status: key === 'default' ? 200 : Number(key.replace('XX', '00')), response: responses[key]! }
}

/**
 * Chooses the media type of the reply: the first declared type that the client accepts, JSON before other types. If the client accepts no
 * declared type, the first declared type is chosen, also JSON before other types.
 * @param accept the header Accept of the request
 */
export function chooseType(content: ContractContent, accept: string | undefined): string | undefined {
  const types = Object.keys(content).toSorted((one, other) => Number(isJson(other)) - Number(isJson(one)))
  const accepted = (accept ?? '*/*').split(',').map((range) => range.split(';')[0]!.trim().toLowerCase())
  const isAccepted = (type: string, range: string): boolean =>
    range === '*/*' || range === type.split(';')[0] || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)))
  for (const range of accepted) {
    const found = types.find((type) => isAccepted(type, range))
    if (found !== undefined) return found
  }
  return types[0]
}
