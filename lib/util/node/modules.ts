/**
 * Modules of Node that load much when they are imported. `import … from 'node:http'` reads all exports of the module, and so loads Node's
 * `fetch` and `WebSocket`: on Node 24 more than all of alcove. `require` reads only what is used. HTTP/2 and TLS are loaded by the
 * applications that use them.
 */
import { createRequire } from 'node:module'
import type * as Crypto from 'node:crypto'
import type * as Dns from 'node:dns'
import type * as Fs from 'node:fs'
import type * as Http from 'node:http'
import type * as Http2 from 'node:http2'
import type * as Https from 'node:https'
import type * as Net from 'node:net'
import type * as Os from 'node:os'
import type * as Util from 'node:util'
import type * as Zlib from 'node:zlib'
import { ownUrl } from '../own-url.js'

const require = createRequire(ownUrl)

export const { createHash, randomUUID } = require('node:crypto') as typeof Crypto
export const { existsSync, readFileSync } = require('node:fs') as typeof Fs
export const { inspect, isDeepStrictEqual, types } = require('node:util') as typeof Util

export const http = require('node:http') as typeof Http
export const { METHODS, STATUS_CODES, validateHeaderName, validateHeaderValue } = http
export const { IncomingMessage, OutgoingMessage, ServerResponse } = http
export type IncomingMessage = Http.IncomingMessage
export type OutgoingMessage = Http.OutgoingMessage
export type ServerResponse<Request extends IncomingMessage = IncomingMessage> = Http.ServerResponse<Request>

export const { isIP, isIPv6 } = require('node:net') as typeof Net

export const loadDns = (): typeof Dns => require('node:dns') as typeof Dns
export const loadOs = (): typeof Os => require('node:os') as typeof Os
export const loadZlib = (): typeof Zlib => require('node:zlib') as typeof Zlib
export const loadHttps = (): typeof Https => require('node:https') as typeof Https
export const loadHttp2 = (): typeof Http2 => require('node:http2') as typeof Http2
