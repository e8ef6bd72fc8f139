/**
 * The exports of `alcove/fastify`: the server under the names, error codes and defaults of Fastify 5, so that an application changes one
 * import.
 * ```ts
 * import Fastify from 'alcove/fastify'
 *
 * const app = Fastify({ logger: true })
 * ```
 * docs/reference/fastify-differences.md lists what remains different.
 */
import { tracingChannel } from 'node:diagnostics_channel'
import type { Conventions } from '../context/conventions.js'
import { LogController } from '../lifecycle/log-request.js'
import { createServerWith } from '../server/create-server.js'
import type { Server } from '../types/server.js'
import { adaptInstance, adaptReplies, adaptRequests } from './adapt.js'
import { errorCodes, presentError } from './errors.js'
import { assertHook, assertLogLevel, assertPlugin, describeDetail, readOptions, warnOfKnownMethod } from './options.js'

const conventions: Conventions = {
  version: '5.12.8',
  presentError,
  describeDetail,
  malformedJson: (reason) => Object.assign(new errorCodes.FST_ERR_CTP_INVALID_JSON_BODY(), { cause: reason }),
  handling: tracingChannel('fastify.request.handler'),
  refusesLongParameters: true,
  takesAllBodySchemas: true,
  validatesAllBodies: true,
  refusesBadPathsWithoutRoutes: true,
  logsFrameworkErrorsToTheEnd: false,
  takesPartsOfMediaTypes: false,
  holdsReplies: false,
  validatesCookies: false,
  trailerSeparator: ' ',
  hostInLog: 'host',
  namesNetworkCards: true,
  warnOfKnownMethod,
  assertPlugin,
  assertHook,
  assertLogLevel,
  adaptRequests,
  adaptReplies,
}

/**
 * Makes a server with the interface of Fastify 5. An option that the server does not know is left out.
 * @throws the errors of `createServer`, under Fastify's codes: FST_ERR_OPTIONS_NOT_OBJ, FST_ERR_INIT_OPTS_INVALID …
 */
export function fastify(fastifyOptions?: object | null | false): Server {
  const options = fastifyOptions || {}
  try {
    return adaptInstance(createServerWith(typeof options === 'object' ? readOptions({ ...options }) : options, conventions))
  } catch (error) {
    throw presentError(error)
  }
}

const callable = Object.assign(fastify, { fastify, default: fastify, errorCodes, LogController })

// Because of the name 'module.exports', `require` returns the function itself, as it does for Fastify.
export { callable as default, errorCodes, LogController, callable as 'module.exports' }
