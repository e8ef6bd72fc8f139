/**
 * Tells whether alcove knows the HTTP server of the running Node. alcove's classes of requests and replies rely on how Node uses them,
 * which no document states. `npm run verify-nodes` tries this out on each release of Node, and records digests of the functions of Node
 * that decide it. A release with the same digests behaves the same, whatever its number.
 *
 * Nothing is tried out here: code of Node that has served other classes once is slower for the rest of the process (12 % of a request).
 */
import { Readable } from 'node:stream'
import { createHash, IncomingMessage, OutgoingMessage, ServerResponse } from './node/modules.js'
import { type VerifiedNode, verifiedNodes } from './verified-nodes.js'

/**
 * The functions of Node's classes that alcove's class of requests relies on, by class. A library that was loaded earlier may have replaced
 * them.
 */
const requestFunctions: readonly (readonly [Class: Function, names: readonly string[]])[] = [
  [IncomingMessage, ['_read', '_destroy', '_dump']],
  [Readable, ['read', 'push', 'resume', 'on', 'readableEnded', 'readableLength']],
]
const responseFunctions: typeof requestFunctions = [
  [ServerResponse, ['assignSocket', 'detachSocket', 'writeHead', '_finish']],
  [
    OutgoingMessage,
    ['_storeHeader', 'write', 'end', '_send', '_writeRaw', '_flush', '_flushOutput', '_finish', 'destroy', 'writableFinished'],
  ],
]

/** The functions inside Node's modules that alcove relies on, by module. */
const innerFunctions: Readonly<Record<string, readonly string[]>> = {
  _http_server: [
    'connectionListenerInternal',
    'updateOutgoingData',
    'socketOnDrain',
    'socketOnClose',
    'socketOnEnd',
    'abortIncoming',
    'onParserExecuteCommon',
    'clearIncoming',
    'resOnFinish',
    'parserOnIncoming',
  ],
  _http_common: ['parserOnHeadersComplete', 'parserOnBody', 'parserOnMessageComplete'],
  _http_outgoing: ['write_', 'onFinish', 'connectionCorkNT', 'processHeader'],
}

function digestOfTexts(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('base64url').slice(0, 12)
}

function functionTexts(list: typeof requestFunctions): string[] {
  return list.flatMap(([Class, names]) => [
    String(Class),
    ...names.map((name) => {
      const found = Object.getOwnPropertyDescriptor(Class.prototype, name)
      return String(found?.value ?? found?.get)
    }),
  ])
}

/**
 * Returns the source texts of `innerFunctions`; `undefined` if this process may not read them (Node's permission model), or is not Node.
 */
function innerTexts(): string[] | undefined {
  try {
    const { binding } = process as NodeJS.Process & { binding(name: string): Record<string, string> }
    const sources = binding.call(process, 'natives')
    return Object.entries(innerFunctions).flatMap(([module, names]) =>
      names.map((name) => new RegExp(`^function ${name}\\(.*?^}`, 'ms').exec(sources[module]!)![0]),
    )
  } catch {
    return undefined
  }
}

/** Whether the process is of a runtime that imitates Node, and names a version of Node as its own. */
const isImitation = (): boolean => 'Bun' in globalThis || 'Deno' in globalThis

/** Returns the version of the running Node, and digests of the functions that alcove relies on. */
export function readNode(): VerifiedNode & { readonly version: string } {
  const inner = innerTexts()
  return {
    version: isImitation() ? 'none' : process.version,
    request: digestOfTexts(functionTexts(requestFunctions)),
    response: digestOfTexts(functionTexts(responseFunctions)),
    inner: inner && digestOfTexts(inner),
  }
}

export interface Verification {
  /** Whether servers may use alcove's class of requests. */
  readonly request: boolean
  /** Whether servers may use alcove's class of responses. */
  readonly response: boolean
  /** Whether the internal fields of sockets mean what node-internals.ts says. */
  readonly fields: boolean
}

export function verify(found: ReturnType<typeof readNode>, known: Readonly<Record<string, VerifiedNode>>): Verification {
  const same = Object.entries(known).filter(([version, { inner }]) =>
    found.inner === undefined ? version === found.version : inner === found.inner,
  )
  return {
    request: same.some(([, { request }]) => request === found.request),
    response: same.some(([, { response }]) => response === found.response),
    fields: same.length > 0,
  }
}

export const verification: Verification = verify(readNode(), verifiedNodes)

/** Whether the warning was given, or must not be given: other runtimes imitate Node's server, and are never listed. */
let isSaid = isImitation()

/** Warns, once in a process, that requests are slower because the running Node is not verified. */
export function warnIfUnverified(log: { warn(text: string): void }): void {
  if (isSaid || (verification.request && verification.response && verification.fields)) return
  isSaid = true
  const cause = verification.fields
    ? 'a library has replaced functions of node:http or node:stream'
    : 'its HTTP server differs from those that are known'
  log.warn(
    `alcove was not tried out with this Node (${process.version}): ${cause}. Requests and replies use Node's own classes, which takes more time. Nothing else changes.`,
  )
}
