/** Where the interface of alcove and that of Fastify 5 differ. `alcove/fastify` makes servers with the conventions of Fastify 5. */
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'
import { describeDetail } from '../schema/validate-request.js'
import type { SchemaErrorDetail } from '../types/compilers.js'
import type { HookName } from '../types/hooks.js'

/** The answers of one of the two interfaces to each difference. */
export interface Conventions {
  /** The version of the interface: `server.version`. Plugins name the versions that they are written for. */
  readonly version: string
  /** Returns what the application gets in the place of an error of the framework. Other errors are returned as they are. */
  readonly presentError: (error: unknown) => unknown
  /** The words of one detail of a failed validation: `should be integer`. */
  readonly describeDetail: (detail: SchemaErrorDetail) => string
  /** Makes the error for a body that the JSON parser refuses. */
  readonly malformedJson: (reason: Error) => Error
  /** The diagnostics channel that reports calls of handlers; see `lifecycle/tracing.ts`. */
  readonly handling: TracingChannel<object>
  /** Whether a path that has no route because a parameter is too long is answered 414, and not by the not-found handler. */
  readonly refusesLongParameters: boolean
  /** Whether a body schema can be declared on every method whose body is read, and not on POST, PUT and PATCH only. */
  readonly takesAllBodySchemas: boolean
  /** Whether a body schema covers every body that has a parser, and not only JSON, the types that it lists, and parsers of the route's context. */
  readonly validatesAllBodies: boolean
  /** Whether a path that cannot be decoded is answered 400 also by a server without routes, and not 404. */
  readonly refusesBadPathsWithoutRoutes: boolean
  /** Whether the completion of a request that `frameworkErrors` answers is logged. */
  readonly logsFrameworkErrorsToTheEnd: boolean
  /** Whether a content-type parser can be named by a part of a media type, such as `multipart`. */
  readonly takesPartsOfMediaTypes: boolean
  /**
   * Whether replies are held against their schemas: a handler that returns nothing, although its schema describes a value, is answered with
   * 500, and an error that lacks a member of its schema keeps its status.
   */
  readonly holdsReplies: boolean
  /** Whether the part `cookies` of a schema validates the cookies, and does not only describe them for documents. */
  readonly validatesCookies: boolean
  /** What separates the names in the header `Trailer`. Only a comma makes a list of them (RFC 9110 §6.6.2); tests of Fastify compare its text. */
  readonly trailerSeparator: ', ' | ' '
  /** Whether `listen` returns and logs the addresses of the network cards instead of 0.0.0.0. */
  readonly namesNetworkCards: boolean
  /** Reports that `addHttpMethod` changes a method that the server has already. */
  readonly warnOfKnownMethod: (name: string, warn: (text: string) => void) => void
  /**
   * Checks a plugin function before it is called.
   * @param nameOf looks the name up, which may be that of a file
   * @throws the errors that only Fastify 5 has
   */
  readonly assertPlugin: (plugin: (...args: any[]) => unknown, nameOf: () => string) => void
  /** Checks a hook that `createServer` takes. @throws the errors that only Fastify 5 has */
  readonly assertHook: (name: HookName, hook: (...args: any[]) => unknown) => void
  /**
   * Checks the log level of a route when the route is declared. Levels that are not checked here fail the boot.
   * @param levels those of the logger
   */
  readonly assertLogLevel: (level: unknown, levels: object, method: string, path: string) => void
  /** Returns the class in whose place the given class of requests stands; itself, or a subclass. */
  readonly adaptRequests: <Class extends AnyClass>(Own: Class) => Class
  /** The same for replies. */
  readonly adaptReplies: <Class extends AnyClass>(Own: Class) => Class
}

/** A class whose subclasses are made by the conventions. */
export type AnyClass = new (...args: any[]) => any

/** The conventions of `createServer`: those of Fastify 4.26. */
export const ownConventions: Conventions = {
  version: '4.26.2',
  presentError: (error) => error,
  describeDetail,
  malformedJson: (reason) => Object.assign(reason, { statusCode: 400 }),
  handling: tracingChannel('alcove.request.handler'),
  refusesLongParameters: false,
  takesAllBodySchemas: false,
  validatesAllBodies: false,
  refusesBadPathsWithoutRoutes: false,
  logsFrameworkErrorsToTheEnd: true,
  takesPartsOfMediaTypes: true,
  holdsReplies: true,
  validatesCookies: true,
  trailerSeparator: ', ',
  namesNetworkCards: false,
  warnOfKnownMethod: (name, warn) =>
    warn(`addHttpMethod('${name}') changed a method that the server has already: say so with { overrideExisting: true }.`),
  assertPlugin: () => {},
  assertHook: () => {},
  assertLogLevel: () => {},
  adaptRequests: (Own) => Own,
  adaptReplies: (Own) => Own,
}
