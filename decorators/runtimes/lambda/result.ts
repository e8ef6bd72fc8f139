/** Converts a response to the result of a Lambda invocation. */
import { isUtf8 } from 'node:buffer'
import { type ReplyParts, statusText } from '../../../lib/internal.js'
import { isHttpEvent, type LambdaEvent, type LambdaResult } from './event-types.js'

type Head = Omit<ReplyParts, 'body'>

/** Returns the result of an invocation for a reply whose body was read completely. */
export function resultOf(event: LambdaEvent, head: Head, bytes: Buffer): LambdaResult {
  const isText = isTextual(head.headers) && isUtf8(bytes)
  const body = bytes.toString(isText ? 'utf8' : 'base64')
  return { ...headOf(event, head), body, isBase64Encoded: !isText }
}

/** Whether a body is sent as text. Other bodies are sent in base64, so that no byte is changed. */
function isTextual(headers: Head['headers']): boolean {
  if ((valueOf(headers, 'content-encoding') ?? 'identity') !== 'identity') return false
  const type = valueOf(headers, 'content-type')?.split(';')[0]!.trim().toLowerCase() ?? ''
  return /^(?:text\/.*|application\/(?:json|javascript|xml|x-www-form-urlencoded|x-ndjson|.*\+json|.*\+xml)|image\/svg\+xml)$/.test(type)
}

function headOf(event: LambdaEvent, { status, headers, statusText: text }: Head): Pick<LambdaResult, 'statusCode'> {
  const cookies = cookiesOf(headers)
  if (isHttpEvent(event)) return { statusCode: status, ...streamHeadOf(headers) }
  const head = {
    statusCode: status,
    ...(event.requestContext.elb !== undefined && { statusDescription: `${status} ${text || statusText(status)}` }),
  }
  const single = plainHeaders(headers)
  // A load balancer takes only the form in which it passes headers itself.
  if (event.multiValueHeaders == null) return { ...head, headers: { ...single, ...cookieVariants(cookies) } } as LambdaResult
  const multiple = Object.fromEntries(Object.entries(single).map(([name, value]) => [name, [value]]))
  return { ...head, multiValueHeaders: { ...multiple, ...(cookies.length > 0 && { 'set-cookie': cookies }) } } as LambdaResult
}

/** Returns headers and cookies in the form for results of HTTP APIs, function URLs and streams. */
export function streamHeadOf(headers: Head['headers']): { headers: Record<string, string>; cookies?: string[] } {
  const cookies = cookiesOf(headers)
  return { headers: plainHeaders(headers), ...(cookies.length > 0 && { cookies }) }
}

function valueOf(headers: Head['headers'], wanted: string): string | undefined {
  return headers.find(([name]) => name === wanted)?.[1]
}

function cookiesOf(headers: Head['headers']): string[] {
  return headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value)
}

/** Returns the headers by name, without cookies. Values of a repeated name are joined (RFC 9110 §5.3). */
function plainHeaders(headers: Head['headers']): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (name !== 'set-cookie') plain[name] = Object.hasOwn(plain, name) ? `${plain[name]}, ${value}` : value
  }
  return plain
}

/**
 * Returns several `set-cookie` headers under names with different case. A result with one value for each header cannot repeat a name, but
 * its names are case-sensitive.
 */
function cookieVariants(cookies: readonly string[]): Record<string, string> {
  return Object.fromEntries(cookies.map((value, index) => [variantOf('set-cookie', index), value]))
}

/** Returns a name with different upper and lower case letters for each number. */
function variantOf(name: string, number: number): string {
  let rest = number
  return name.replaceAll(/[a-z]/g, (letter) => {
    const isUpper = rest % 2 === 1
    rest = Math.floor(rest / 2)
    return isUpper ? letter.toUpperCase() : letter
  })
}
