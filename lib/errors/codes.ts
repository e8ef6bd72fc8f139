/**
 * Every error of the server, by code. If Fastify has a matching `FST_ERR_…` code, the code of alcove has the same suffix.
 * docs/reference/errors.md describes each code.
 */
import { shorten } from '../util/shorten.js'
import { defineErrors } from './error-constructor.js'
import { errorsOfClasses } from './errors-of-classes.js'
import { explanationLine } from './explanation.js'

/**
 * The constructors of the framework's errors, by code. Use them to recognize an error, or to throw the same error.
 * ```ts
 * if (error instanceof errorCodes.ALC_ERR_NOT_FOUND) …
 * ```
 * docs/reference/errors.md describes each code.
 */
export const errorCodes = defineErrors({
  ...errorsOfClasses,

  // construction
  ALC_ERR_OPTIONS_NOT_OBJ: [500, () => 'Options must be an object', TypeError],
  ALC_ERR_INIT_OPTS_INVALID: [500, (problems: string) => `Invalid initialization options: ${problems}`],
  ALC_ERR_PEER_MISSING: [
    500,
    (user: string, name: string) => `${user} needs the package ${name}, which is not installed. Run: npm install ${name}`,
  ],
  ALC_ERR_BUILD_OPTIONS: [
    500,
    (problem: string) =>
      `Nothing can be built ahead of time: ${problem}. Start the server without a build: it compiles its schemas itself.`,
  ],
  ALC_ERR_BUILD_MISSING: [
    500,
    (reason: string) =>
      `This process must not generate code from strings, but ${reason}. Run alcove build with the options of this server, and pass what it writes as the option prebuilt; or start Node without --disallow-code-generation-from-strings.`,
  ],
  ALC_ERR_QSP_NOT_FN: [500, (got: string) => `querystringParser option should be a function, instead got '${got}'`, TypeError],
  ALC_ERR_SCHEMA_CONTROLLER_BUCKET_OPT_NOT_FN: [
    500,
    (got: string) => `schemaController.bucket option should be a function, instead got '${got}'`,
    TypeError,
  ],
  ALC_ERR_SCHEMA_ERROR_FORMATTER_NOT_FN: [
    500,
    (got: string) => `schemaErrorFormatter option should be a non async function. Instead got '${got}'.`,
    TypeError,
  ],
  ALC_ERR_JSV_CUSTOM_OPTIONS_OPT_NOT_OBJ: [
    500,
    (got: string) => `jsv.customOptions option should be an object, instead got '${got}'`,
    TypeError,
  ],
  ALC_ERR_JSV_CUSTOM_OPTIONS_OPT_NOT_ARR: [500, (got: string) => `jsv.plugins option should be an array, instead got '${got}'`, TypeError],
  ALC_ERR_FORCE_CLOSE_CONNECTIONS_IDLE_NOT_AVAILABLE: [
    500,
    () => "Cannot set forceCloseConnections to 'idle' as your HTTP server does not support closeIdleConnections method",
  ],
  ALC_ERR_LOG_INVALID_DESTINATION: [500, () => 'Cannot specify both logger.stream and logger.file options'],
  ALC_ERR_LOG_INVALID_LOGGER: [
    500,
    (missing: string) => `Invalid logger object provided. The logger instance should have these function(s): '${missing}'.`,
    TypeError,
  ],
  ALC_ERR_LOG_INVALID_LOGGER_INSTANCE: [
    500,
    (missing: string) =>
      `loggerInstance only accepts a logger instance. It lacks these function(s): '${missing}'. Pass options of the logger as 'logger'.`,
    TypeError,
  ],
  ALC_ERR_LOG_LOGGER_AND_LOGGER_INSTANCE_PROVIDED: [500, () => "'loggerInstance' and 'logger' must not both be given", TypeError],
  ALC_ERR_LOG_INVALID_LOG_CONTROLLER: [500, (got: string) => `logController option must be an instance of LogController, got '${got}'.`],
  ALC_ERR_LOG_LEVEL_UNKNOWN: [
    500,
    (level: string, known: string) => `'logLevel' is '${level}', which the logger does not know. Levels are: ${known}`,
  ],

  // listening and closing
  ALC_ERR_LISTEN_OPTIONS_INVALID: [500, (problem: string) => `Invalid listen options: '${problem}'`, TypeError],
  ALC_ERR_INSTANCE_ALREADY_LISTENING: [500, (what: string) => `The server has already started. ${what}`],
  ALC_ERR_FETCH_REQUEST_INVALID: [
    500,
    (problem: string) => `server.fetch takes a Request, e.g. new Request('http://localhost/users'), but ${problem}`,
    TypeError,
  ],
  ALC_ERR_FETCH_NO_SOCKET: [
    500,
    (method: string) =>
      `The request was served by server.fetch, so it has no socket for ${method}(): the runtime has the connection. Use request.raw and reply.raw, or listen() on Node`,
  ],
  ALC_ERR_FETCH_RESPONSE_REPLACED: [
    500,
    () => 'A plugin has replaced the prototype of the raw response, as @fastify/express does: such a plugin works with listen() only',
  ],
  ALC_ERR_FETCH_UPGRADE: [501, () => 'Upgrades, such as WebSockets, are not available: the server has no connection of its own'],
  ALC_ERR_LAMBDA_OPTIONS_INVALID: [500, (problem: string) => `The options of a Lambda handler are invalid: ${problem}`, TypeError],
  ALC_ERR_LAMBDA_EVENT_INVALID: [
    500,
    (got: string) =>
      `The handler got an event that is no HTTP request (${got}). It takes events of API Gateway, function URLs and load balancers; write another handler for other events`,
    TypeError,
  ],
  ALC_ERR_REOPENED_CLOSE_SERVER: [500, () => 'The server has already been closed and cannot be reopened'],
  ALC_ERR_REOPENED_SERVER: [500, () => 'The server is already listening'],

  // plugins
  ALC_ERR_PLUGIN_NOT_VALID: [500, (detail: string) => `Invalid plugin: ${detail}`],
  ALC_ERR_PLUGIN_CALLBACK_NOT_FN: [500, (detail: string) => detail, TypeError],
  ALC_ERR_ROOT_PLG_BOOTED: [500, (detail: string) => detail],
  ALC_ERR_PARENT_PLUGIN_BOOTED: [500, (detail: string) => detail],
  ALC_ERR_PLUGIN_TIMEOUT: [500, (detail: string) => `fastify-plugin: ${detail}`],
  ALC_ERR_PLUGIN_REJECTED_EMPTY: [500, (who: string, value: string) => `${who} failed with ${value} instead of an Error`],
  ALC_ERR_PLUGIN_VERSION_MISMATCH: [
    500,
    (name: string, expected: string, actual: string) =>
      `fastify-plugin: ${name} - expected '${expected}' fastify version, '${actual}' is installed (a range that includes 5.0.0 or 5.99.99 is accepted too)`,
  ],
  ALC_ERR_PLUGIN_NOT_PRESENT_IN_INSTANCE: [
    500,
    (decorator: string, requiredBy: string, where: string) => `The decorator '${decorator}'${requiredBy} is not present in ${where}`,
  ],
  ALC_ERR_PLUGIN_DEPENDENCY_NOT_REGISTERED: [
    500,
    (dependency: string, name: string) => `The dependency '${dependency}' of plugin '${name}' is not registered`,
  ],

  // decorators
  ALC_ERR_DEC_ALREADY_PRESENT: [500, (name: string) => `The decorator '${name}' has already been added!`],
  ALC_ERR_DEC_DEPENDENCY_INVALID_TYPE: [500, (name: string) => `The dependencies of decorator '${name}' must be of type Array.`, TypeError],
  ALC_ERR_DEC_MISSING_DEPENDENCY: [500, (name: string) => `The decorator is missing dependency '${name}'.`],
  ALC_ERR_DEC_AFTER_START: [500, (name: string) => `The decorator '${name}' has been added after start!`],
  ALC_ERR_DEC_REFERENCE_TYPE: [
    500,
    (name: string, type: string) =>
      `The decorator '${name}' of type '${type}' is a reference type: all requests would share it. Decorate with null and set it in a hook, or use { getter, setter }.`,
  ],

  ALC_ERR_DEC_UNDECLARED: [500, (name: string, kind: string) => `No decorator '${name}' has been declared on ${kind}.`],

  // hooks
  ALC_ERR_HOOK_INVALID_TYPE: [500, () => 'The hook name must be a string', TypeError],
  ALC_ERR_HOOK_INVALID_HANDLER: [500, (hook: string, got: string) => `${hook} hook should be a function, instead got ${got}`, TypeError],
  ALC_ERR_HOOK_INVALID_ASYNC_HANDLER: [
    500,
    () => "Async function has too many arguments. Async hooks should not use the 'done' argument.",
    TypeError,
  ],
  ALC_ERR_HOOK_NOT_SUPPORTED: [500, (hook: string, known: string) => `${hook} hook not supported! Hooks are: ${known}.`, TypeError],
  ALC_ERR_AROUND_RETURNED_NOTHING: [
    500,
    (label: string) =>
      `${label} returned nothing, but its result is the reply, so the result of the handler, or its error, would be lost. Write return next(), or return an empty text for an empty reply.`,
  ],
  ALC_ERR_NEXT_AFTER_REPLY: [
    500,
    (label: string) => `${label} called next() after the reply had been sent, so the handler could not answer. It was not called.`,
  ],
  ALC_ERR_HOOK_RETURNED_FALSE: [
    500,
    (hook: string, label: string, result: 'false' | 'a Response' = 'false') =>
      `The ${hook} hook ${label} returned ${result}, which does not refuse the request. Throw new HttpError(403) instead, or 401 if the client is not known.`,
  ],
  ALC_ERR_HOOK_TIMEOUT: [
    500,
    (hook: string) => `A callback for '${hook}' hook timed out. You may have forgotten to call 'done' function or to resolve a Promise`,
  ],

  // routes
  ALC_ERR_DUPLICATED_ROUTE: [500, (method: string, url: string) => `Method '${method}' already declared for route '${url}'`],
  ALC_ERR_INVALID_URL: [400, (got: string) => `URL must be a string. Received '${got}'`, TypeError],
  ALC_ERR_ROUTE_OPTIONS_NOT_OBJ: [
    500,
    (method?: string, url?: string) => `Options for ${method === undefined ? 'a' : `"${method}:${url}"`} route must be an object`,
    TypeError,
  ],
  ALC_ERR_ROUTE_DUPLICATED_HANDLER: [
    500,
    (method: string, url: string) => `Duplicate handler for "${method}:${url}" route is not allowed!`,
  ],
  ALC_ERR_ROUTE_HANDLER_NOT_FN: [
    500,
    (method: string, url: string, what: unknown = 'Error Handler') => `${what} for ${method}:${url} route, if defined, must be a function`,
    TypeError,
  ],
  ALC_ERR_ROUTE_MISSING_HANDLER: [500, (method: string, url: string) => `Missing handler function for "${method}:${url}" route.`],
  ALC_ERR_ROUTE_METHOD_INVALID: [500, (problem = '') => `Provided method is invalid!${problem === '' ? '' : ` ${problem}`}`, TypeError],
  ALC_ERR_ROUTE_METHOD_NOT_SUPPORTED: [500, (method: string, cure = '') => `${method} method is not supported.${cure}`],
  ALC_ERR_ROUTE_MISSING_CONTENT_TYPE: [400, (method: string) => `A ${method} request must have a Content-Type header`],
  ALC_ERR_ROUTE_BODY_VALIDATION_SCHEMA_NOT_SUPPORTED: [
    500,
    (method: string, url: string, cure = '') => `Body validation schema for ${method}:${url} route is not supported!${cure}`,
  ],
  ALC_ERR_ROUTE_BODY_LIMIT_OPTION_NOT_INT: [
    500,
    (got: unknown) => `'bodyLimit' option must be an integer > 0. Got '${String(got)}'`,
    TypeError,
  ],
  ALC_ERR_ROUTE_HANDLER_TIMEOUT_OPTION_NOT_INT: [
    500,
    (got: unknown) => `'handlerTimeout' option must be a whole number of milliseconds below 2^31 (0: no timeout). Got '${String(got)}'`,
    TypeError,
  ],
  ALC_ERR_ROUTE_REWRITE_NOT_STR: [
    500,
    (url: string, got: string) => `Rewrite url for "${shorten(url)}" needs to be of type "string" but received "${got}"`,
    TypeError,
  ],
  ALC_ERR_THROWS_INVALID: [
    500,
    (place: string, entry: string, problem: string) => `${place} lists ${entry} in throws. ${problem}`,
    TypeError,
  ],
  ALC_ERR_ERROR_UNLISTED: [
    500,
    (place: string, name: string, status: number) =>
      `${place} answered with the error ${name} (${status}), which it does not list. Write throws: [${name}] in the options of the route, of its controller or of a plugin above it.`,
  ],
  ALC_ERR_REPLY_UNDESCRIBED: [500, (title: string, status: number, problem: string) => `${title}: the reply ${status} ${problem}`],
  ALC_ERR_ERROR_LACKS_MEMBER: [
    500,
    (place: string, status: number, member?: string) =>
      member === undefined
        ? `${place} answered with an error ${status} that fits no alternative of the schema of its response ${status}. Throw an error of a class that is listed in throws (httpError), return reply.code(${status}).send({ … }), or add an alternative.`
        : `${place} answered with an error ${status} without '${member}', which the schema of its response ${status} requires. Throw an error of a class that has it (httpError, listed in throws), return reply.code(${status}).send({ … }), or take it out of required.`,
  ],
  ALC_ERR_NOT_FOUND_HANDLER_PRESENT: [
    500,
    (prefix: string, path?: string, otherPath?: string, otherPrefix?: string) =>
      path === undefined
        ? `Not found handler already set for Fastify instance with prefix: '${prefix}'`
        : `${path} sets a not-found handler for the prefix '${prefix}', and ${otherPath} for '${otherPrefix}', which is the same to the router. Keep one of them, or give the plugins prefixes that differ.`,
  ],
  ALC_ERR_NOT_FOUND_HANDLER_NOT_FN: [
    500,
    (prefix: string, got: string) => `The not-found handler of the prefix '${prefix}' must be a function, got ${got}`,
    TypeError,
  ],
  ALC_ERR_SETTING_INVALID: [500, (method: string, problem: string) => `${method} ${problem}`, TypeError],
  ALC_ERR_ERROR_HANDLER_NOT_FN: [500, () => 'Error Handler must be a function', TypeError],
  ALC_ERR_ERROR_HANDLER_ALREADY_SET: [
    500,
    () => "Error Handler already set in this scope. Set 'allowErrorHandlerOverride: true' to allow overriding.",
    TypeError,
  ],
  ALC_ERR_BAD_URL: [400, (url: string) => `'${shorten(url)}' is not a valid url component`, URIError],
  ALC_ERR_MAX_PARAM_LENGTH: [414, (path: string) => `'${shorten(path)}' is exceeding the max param length`],
  ALC_ERR_BAD_HOST: [400, () => 'The request must have one valid Host header'],
  ALC_ERR_BAD_TRANSFER_ENCODING: [400, () => 'Unsupported Transfer-Encoding: only "chunked" over HTTP/1.1 is accepted'],
  ALC_ERR_BAD_HTTP_VERSION: [400, () => 'The request line has no valid HTTP version'],
  ALC_ERR_ASYNC_CONSTRAINT: [500, () => 'Unexpected error from async constraint'],
  ALC_ERR_BOOT_FAULTS: [
    500,
    (faults: readonly Error[]) => {
      const codes = faults.map((fault) => (fault as { code?: string }).code)
      const lines = [`${faults.length} faults were found:`, ...faults.map(({ message }) => `  - ${message}`), explanationLine(codes)]
      return lines.filter((line) => line !== undefined).join('\n')
    },
  ],
  ALC_ERR_NOT_FOUND: [404, () => 'Not Found'],
  ALC_ERR_METHOD_NOT_ALLOWED: [
    405,
    (method: string, url: string, allowed: string) => `${method} is not allowed for ${shorten(url)}, which has routes for ${allowed}`,
  ],
  ALC_ERR_HANDLER_TIMEOUT: [
    503,
    (ms: number, route: string, waiting = '') => `No reply within ${ms} ms: ${route}${waiting === '' ? '' : `. ${waiting}`}`,
  ],
  ALC_ERR_HTTP_VERSION_NOT_SUPPORTED: [505, () => 'HTTP Version Not Supported'],

  // content-type parsers and bodies
  ALC_ERR_CTP_ALREADY_PRESENT: [500, (type: string) => `Content type parser '${type}' already present.`],
  ALC_ERR_CTP_INVALID_TYPE: [500, () => 'The content type should be a string or a RegExp', TypeError],
  ALC_ERR_CTP_EMPTY_TYPE: [500, () => 'The content type cannot be an empty string', TypeError],
  ALC_ERR_CTP_INVALID_HANDLER: [500, () => 'The content type handler should be a function', TypeError],
  ALC_ERR_CTP_INVALID_PARSE_TYPE: [
    500,
    (got: string) => `The body parser can only parse your data as 'string' or 'buffer', you asked '${got}' which is not supported.`,
    TypeError,
  ],
  ALC_ERR_CTP_INSTANCE_ALREADY_STARTED: [400, (what: string) => `Cannot call "${what}" when the server is already started!`],
  ALC_ERR_CTP_BODY_TOO_LARGE: [413, () => 'Request body is too large', RangeError],
  ALC_ERR_CTP_INVALID_MEDIA_TYPE: [
    415,
    (type?: string) => `Unsupported Media Type: ${type === undefined ? 'the request has no Content-Type' : shorten(type)}`,
  ],
  ALC_ERR_CTP_INVALID_CONTENT_LENGTH: [400, () => 'Request body size did not match Content-Length', RangeError],
  ALC_ERR_CTP_EMPTY_JSON_BODY: [400, () => "Body cannot be empty when content-type is set to 'application/json'"],
  ALC_ERR_CTP_UNSUPPORTED_ENCODING: [415, (coding: string) => `Unsupported Content-Encoding: ${shorten(coding)}`],
  ALC_ERR_CTP_BODY_TOO_DEEP: [400, (limit: number) => `Request body is nested more than ${limit} levels deep`],
  ALC_ERR_CTP_NUMBER_TOO_LARGE: [400, () => 'Request body contains a number that is too large'],
  ALC_ERR_CTP_INVALID_UTF8: [400, () => 'Request body is not valid UTF-8'],

  // replies
  ALC_ERR_REP_INVALID_PAYLOAD_TYPE: [
    500,
    (got: string, cure: string = 'Expected a string or Buffer') => `Attempted to send payload of invalid type '${got}'. ${cure}.`,
    TypeError,
  ],
  ALC_ERR_REP_UNDECLARED: [
    500,
    (route: string, status: number, mediaType: string) =>
      `The reply of ${route} has the status ${status} and the media type ${mediaType}, for which its schema declares no response. Declare one, or set the option undeclaredResponses.`,
  ],
  ALC_ERR_REP_MISSING: [
    500,
    (route: string, status: number) =>
      `${route} returned nothing, but the schema of its response ${status} describes a value. Return that value, set a status without a body (204), or let the schema allow null.`,
    TypeError,
  ],
  ALC_ERR_REP_NOT_A_STREAM: [
    500,
    (route: string, status: number, got: string) =>
      `${route} has stream(…) as its response ${status}, but its handler returned ${got}. Return an async iterable of the items, most simply from an async function*.`,
    TypeError,
  ],
  ALC_ERR_REP_NOT_ACCEPTABLE: [406, (types: string) => `The reply has one of these media types: ${types}`],
  ALC_ERR_REP_EVENT_INVALID: [500, (problem: string) => `event(…): ${problem}.`, TypeError],
  ALC_ERR_REP_STREAM_CUT: [503, (route: string) => `The stream of ${route} was cut, because the server closes`],
  ALC_ERR_REP_LENGTH_MISMATCH: [
    500,
    (stated: number, sent: number) => `The content-length of the reply is ${stated} bytes, but its stream sent ${sent}`,
  ],
  ALC_ERR_REP_RESPONSE_BODY_CONSUMED: [500, () => 'Response.body is already consumed.'],
  ALC_ERR_REP_READABLE_STREAM_LOCKED: [
    500,
    () => 'ReadableStream was locked. You should call releaseLock() method on reader before sending.',
  ],
  ALC_ERR_REP_ALREADY_SENT: [
    500,
    (url: string, method: string, place?: string) => {
      const target = `"${shorten(url)}" (${method})`
      return `Reply was already sent, did you forget to "return reply" in ${place === undefined ? target : `${place}, ${target}`}?`
    },
  ],
  ALC_ERR_REP_EARLY_HINTS_INVALID: [500, (problem: string) => `reply.writeEarlyHints ${problem}`, TypeError],
  ALC_ERR_SEND_INSIDE_ONERR: [500, () => 'You cannot use `send` inside the `onError` hook'],
  ALC_ERR_SEND_UNDEFINED_ERR: [500, () => 'Undefined error has occurred'],
  ALC_ERR_BAD_STATUS_CODE: [500, (got: unknown, what: unknown = 'Called reply') => `${what} with an invalid status code: ${String(got)}`],
  ALC_ERR_HTTP_ERROR_EXTENSION: [
    500,
    (name: string) =>
      `An HttpError has the extension member '${name}', which the payload of errors has already. Give it another name, or use the option or argument for it.`,
  ],
  ALC_ERR_BAD_TRAILER_NAME: [500, (name: string) => `Called reply.trailer with an invalid header name: ${name}`],
  ALC_ERR_BAD_TRAILER_VALUE: [
    500,
    (name: string, got: string) => `Called reply.trailer('${name}', fn) with an invalid type: ${got}. Expected a function.`,
  ],
  ALC_ERR_FAILED_ERROR_SERIALIZATION: [
    500,
    (reason: string, original: string) => `Failed to serialize an error. Error: ${reason}. Original error: ${original}`,
  ],
  ALC_ERR_MISSING_SERIALIZATION_FN: [500, (key: string) => `Missing serialization function. Key "${key}"`],
  ALC_ERR_MISSING_CONTENTTYPE_SERIALIZATION_FN: [
    500,
    (key: string, type: string) => `Missing serialization function. Key "${key}:${type}"`,
  ],
  ALC_ERR_REQ_INVALID_VALIDATION_INVOCATION: [
    500,
    (part: string) => `Invalid validation invocation. Missing validation function for HTTP part "${part}" nor schema provided.`,
  ],

  // schemas
  ALC_ERR_VALIDATION: [400, (message: string) => message],
  ALC_ERR_SCH_MISSING_ID: [
    500,
    (Class?: string) =>
      `Missing schema $id property. ${
        Class === undefined
          ? "Write { $id: 'a name', … }: routes refer to the schema by its $id."
          : `${Class} is a class or a function. Add the schema of a model: ${Class}.schema.`
      }`,
  ],
  ALC_ERR_SCH_ALREADY_PRESENT: [500, (id: string) => `Schema with id '${id}' already declared!`],
  ALC_ERR_SCH_CONTENT_MISSING_SCHEMA: [500, (type: string) => `Schema is missing for the content type '${type}'`],
  ALC_ERR_SCH_PARTS_INVALID: [500, (method: string, url: string, problems: string) => `Invalid schema for ${method}: ${url}: ${problems}`],
  ALC_ERR_SCH_DUPLICATE: [500, (part: string) => `Schema with '${part}' already present!`],
  ALC_ERR_SCH_VALIDATION_BUILD: [
    500,
    (method: string, url: string, reason: string) => `Failed building the validation schema for ${method}: ${url}, due to error ${reason}`,
  ],
  ALC_ERR_SCH_SERIALIZATION_BUILD: [
    500,
    (method: string, url: string, reason: string) =>
      `Failed building the serialization schema for ${method}: ${url}, due to error ${reason}`,
  ],
  ALC_ERR_SCH_RESPONSE_SCHEMA_NOT_NESTED_2XX: [
    500,
    (key: string) => `response schemas should be nested under a valid status code, e.g { 2xx: { type: "object" } }, not under '${key}'`,
  ],
  ALC_ERR_SCH_FORMATTER_RESULT: [
    500,
    (got: string) => `A schema error formatter must return an Error; this one returned ${got}`,
    TypeError,
  ],
  ALC_ERR_SCH_COMPILER_MISSING: [500, (kind: string, place: string) => `The ${kind} compiler did not return a function for ${place}`],
})
