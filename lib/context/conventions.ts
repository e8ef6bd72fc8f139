/** The places where the interfaces of alcove and Fastify 5 differ. `alcove/fastify` makes servers with the conventions of Fastify 5. */
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'
import { describeDetail } from '../schema/validate-request.js'
import type { SchemaErrorDetail } from '../types/compilers.js'
import type { HookName } from '../types/hooks.js'

/** The conventions of an interface, alcove's or Fastify 5's: how a server behaves at each place where the two interfaces differ. */
export interface Conventions {
  /** The version of the interface, as `server.version` shows it. Plugins name the versions that they are written for. */
  readonly version: string
  /** Returns the error that the application gets for an error of the framework. Other errors are returned unchanged. */
  readonly presentError: (error: unknown) => unknown
  /** Returns the text for one error that validation reports: `should be integer`. */
  readonly describeDetail: (detail: SchemaErrorDetail) => string
  /** Makes the error for a body that is not valid JSON, from the error that the JSON parser has thrown. */
  readonly malformedJson: (reason: Error) => Error
  /** The diagnostics channel that reports calls of handlers; see `lifecycle/tracing.ts`. */
  readonly handling: TracingChannel<object>
  /** Whether a path that has no route because a parameter is too long is answered 414. Otherwise the not-found handler answers. */
  readonly refusesLongParameters: boolean
  /** Whether a body schema can be declared on every method whose body is read. Otherwise only POST, PUT and PATCH can have one. */
  readonly takesAllBodySchemas: boolean
  /**
   * Whether a body schema covers every body that has a parser. Otherwise the schema covers only JSON, the media types that the schema
   * lists, and the types of the parsers that the route's context adds.
   */
  readonly validatesAllBodies: boolean
  /** Whether a server without any route answers a path that cannot be decoded with 400 (otherwise with 404). */
  readonly refusesBadPathsWithoutRoutes: boolean
  /** Whether a request that `frameworkErrors` answers is also logged when it is completed. */
  readonly logsFrameworkErrorsToTheEnd: boolean
  /** Whether a content-type parser can be named by a substring of a media type, such as `multipart`. */
  readonly takesPartsOfMediaTypes: boolean
  /**
   * Whether the response schemas of a route are demands on its replies. If `true`, a handler that returns nothing, although its response
   * schema describes a value, is answered with a 500; and an error reply keeps its status even if the error lacks a member that the schema
   * requires.
   */
  readonly holdsReplies: boolean
  /** Whether the schema `cookies` of a route validates the cookies. If not, the schema only describes the cookies in documents. */
  readonly validatesCookies: boolean
  /**
   * The text between the names in the header `Trailer`. RFC 9110 §6.6.2 asks for commas; Fastify writes spaces, and its tests compare the
   * header.
   */
  readonly trailerSeparator: ', ' | ' '
  /** The name of the member of a logged request that has its host. */
  readonly hostInLog: 'host' | 'hostname'
  /** Whether `listen` returns and logs the addresses of the network cards instead of 0.0.0.0. */
  readonly namesNetworkCards: boolean
  /** Warns that `addHttpMethod` changes a method that the server already has. */
  readonly warnOfKnownMethod: (name: string, warn: (text: string) => void) => void
  /**
   * Checks a plugin function before it is called.
   * @param nameOf looks up the name of the plugin, which may be the name of its file
   * @throws the errors that only Fastify 5 has
   */
  readonly assertPlugin: (plugin: (...args: any[]) => unknown, nameOf: () => string) => void
  /** Checks a hook that `createServer` takes. @throws the errors that only Fastify 5 has */
  readonly assertHook: (name: HookName, hook: (...args: any[]) => unknown) => void
  /**
   * Checks the log level of a route when the route is declared. A level that this function lets pass fails the boot later, if the logger
   * does not know it.
   * @param levels the levels of the logger
   */
  readonly assertLogLevel: (level: unknown, levels: object, method: string, path: string) => void
  /** Takes the server's class of requests, and returns the class that requests are made with: the same class or a subclass. */
  readonly adaptRequests: <Class extends AnyClass>(Own: Class) => Class
  /** Takes the server's class of replies, and returns the class that replies are made with: the same class or a subclass. */
  readonly adaptReplies: <Class extends AnyClass>(Own: Class) => Class
}

/** A class of requests or replies, of which {@link Conventions} may make a subclass. */
export type AnyClass = new (...args: any[]) => any

/** The conventions of `createServer`, which behaves as Fastify 4.26 does. */
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
  hostInLog: 'hostname',
  namesNetworkCards: false,
  warnOfKnownMethod: (name, warn) =>
    warn(`addHttpMethod('${name}') changed a method that the server has already: say so with { overrideExisting: true }.`),
  assertPlugin: () => {},
  assertHook: () => {},
  assertLogLevel: () => {},
  adaptRequests: (Own) => Own,
  adaptReplies: (Own) => Own,
}
