/**
 * Descriptions of routes, contexts and applications as plain data, and what guards, error handlers and plugins declare about replies and security.
 */
import type { LifecycleHookName } from './hooks.js'

/** JSON Schema, draft 7. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

/**
 * The replies that a guard, an error handler or a plugin may send at the routes that it covers, in addition to the handlers' replies, and
 * the request headers that it reads and the response headers that it adds:
 * ```ts
 * const replies: DeclaredReplies = { responses: { 401: Problem }, security: { bearer: { type: 'http', scheme: 'bearer' } } }
 * ```
 * The declaration describes replies and does not change them: they are serialized as if it were absent.
 */
export interface DeclaredReplies {
  /** Schemas of the replies by status (`401`), range (`4xx`) or `default`, in the form of `schema.response` of a route. */
  readonly responses?: { readonly [status: string | number]: unknown }
  /**
   * The security schemes by which clients authenticate, by name. A request that satisfies one of the schemes is let in. If several guards
   * cover a route, a request must satisfy each of them.
   */
  readonly security?: SecuritySchemes
  /**
   * The request headers that are read: an object schema, in the form of `schema.headers` of a route. The schema only describes the headers;
   * it validates nothing.
   */
  readonly requestHeaders?: HeadersSchema
  /**
   * The headers that are added to replies, by status (`200`), range (`2xx`) or `default`, and by name: `{ '2xx': { etag: { type: 'string' } } }`.
   */
  readonly responseHeaders?: { readonly [status: string | number]: { readonly [name: string]: JsonSchema } }
}

/** The schemas of headers by name, and the names of the headers that a request must have. */
export interface HeadersSchema {
  readonly type: 'object'
  readonly required?: readonly string[]
  readonly properties: { readonly [name: string]: JsonSchema }
}

/** Security schemes by name. */
export interface SecuritySchemes {
  readonly [name: string]: SecurityScheme & {
    /** The OAuth scopes that a request needs, for `oauth2` and `openIdConnect`. Default: none. */
    readonly scopes?: readonly string[]
  }
}

/** A security scheme, as OpenAPI defines it (https://spec.openapis.org/oas/v3.1.1#security-scheme-object). */
export interface SecurityScheme {
  readonly type: 'http' | 'apiKey' | 'oauth2' | 'openIdConnect' | 'mutualTLS'
  readonly description?: string
  /** The HTTP authentication scheme, for the type `http`: `bearer`, `basic` … */
  readonly scheme?: string
  /** The format of the token, for the type `http` with the scheme `bearer`: `JWT`. */
  readonly bearerFormat?: string
  /** The name of the header, parameter or cookie that has the key, for the type `apiKey`. */
  readonly name?: string
  /** The place of the key in a request, for the type `apiKey`. */
  readonly in?: 'header' | 'query' | 'cookie'
  /** The OAuth 2 flows by name, for the type `oauth2`. */
  readonly flows?: { readonly [flow: string]: unknown }
  /** The URL of the OpenID provider's metadata, for the type `openIdConnect`. */
  readonly openIdConnectUrl?: string
  readonly [extension: `x-${string}`]: unknown
}

/**
 * Texts of a plugin or a controller for the documentation of its routes. A context, controller or route inside of it may set other texts.
 */
export interface ContextDocs {
  /** The groups that pages of documentation show the routes in: `['users']`. */
  readonly tags?: readonly string[]
  /** Whether documents omit the routes. */
  readonly hide?: boolean
  /** A page that says more about the routes. */
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  readonly [extension: `x-${string}`]: unknown
}

/**
 * The deprecation of routes: when it begins, when the routes may be removed, and a page that says more.
 * ```ts
 * @Controller('/orders', { deprecated: { since: '2026-06-30', sunset: '2026-12-31', link: 'https://example.com/orders-v2' } })
 * class OrdersController {}
 * ```
 * A date is an ISO text or a `Date`. A day without a time begins at midnight in UTC.
 */
export interface Deprecation {
  /** The time since which clients should stop using the routes. Required. It may be in the future. */
  readonly since: string | Date
  /** The time from which the routes may be gone. Until the routes are removed they are served. */
  readonly sunset?: string | Date
  /** A page about the deprecation: an absolute URL of HTTP, or a path of the same host. */
  readonly link?: string
}

/** The deprecation of a route as plain data. Its dates are ISO texts: `2026-12-31`, or `2026-12-31T18:00:00Z` with a time. */
export interface DeprecationDescription {
  readonly since: string
  readonly sunset?: string
  readonly link?: string
}

/** Texts of a route for its documentation. */
export interface RouteDocs extends ContextDocs {
  /** What the route does, in a few words. */
  readonly summary?: string
  /** What the route does, in Markdown. */
  readonly description?: string
  /** The name of the operation in the OpenAPI document, which must be unique: `findUser`. */
  readonly operationId?: string
}

/** A context and its descendants, as `describeContexts` returns them. */
export interface ContextDescription {
  /** The name of the class or plugin. */
  readonly name: string
  /** The names from the root to this context: `App > PublicPlugin`. */
  readonly path: string
  /** The prefix of the context's routes, including the prefixes of its ancestors. Empty if there is none. */
  readonly prefix: string
  /** Names of the request decorators that this context itself adds. */
  readonly requestDecorators: readonly string[]
  /** Names of the reply decorators that this context itself adds. */
  readonly replyDecorators: readonly string[]
  /** The `$id` of each shared schema that is visible in this context. */
  readonly schemas: readonly string[]
  /** The shared schemas that this context itself adds, by `$id`. */
  readonly ownSchemas: { readonly [id: string]: JsonSchema }
  /** The body parsers that this context itself adds, with the media types that they parse. */
  readonly contentTypeParsers: readonly { readonly type: string; readonly name: string }[]
  /** The name of the handler for unknown paths that this context sets. Absent if it sets none. */
  readonly notFoundHandler?: string
  /** The routes that are declared in this context, including the HEAD routes that GET routes get. */
  readonly routes: readonly RouteDescription[]
  readonly children: readonly ContextDescription[]
}

/** A hook that runs for a route. */
export interface HookDescription {
  readonly hook: LifecycleHookName | 'around'
  /** The name of the function, or of the class and its method: `Guard.onRequest`. */
  readonly name: string
  /** The path of the context that added the hook; `route` if the hook is an option of the route. */
  readonly from: string
}

/** An error handler or formatter of a route. */
export interface HandlerDescription {
  /** The name of the function, or of the class and its method: `ApiErrors.errorHandler`. */
  readonly name: string
  /** The path of the context that set the handler; `route` if the handler is an option of the route. */
  readonly from: string
}

/** The schemas of the parts of a request, as the validator of each part gets them. References lead to the shared schemas of the context. */
export interface InputDescription {
  readonly params?: JsonSchema
  readonly querystring?: JsonSchema
  readonly headers?: JsonSchema
  readonly cookies?: JsonSchema
  /** Schemas of the body by media type. `application/json` means all types whose suffix is `+json` too. */
  readonly body?: { readonly [mediaType: string]: JsonSchema }
}

/**
 * The members that a media type in a `content` map has besides its schema, as in OpenAPI:
 * https://spec.openapis.org/oas/v3.1.1#media-type-object
 */
export interface MediaTypeDocs {
  readonly example?: unknown
  readonly examples?: unknown
  /** The encodings of the members of a form, by name. */
  readonly encoding?: unknown
  readonly [extension: `x-${string}`]: unknown
}

/** The keys of a route's schema that describe its operation in OpenAPI documents. The server does not read them. */
export interface SchemaDocs {
  readonly servers?: readonly object[]
  readonly callbacks?: object
  /** The schema of the cookies: JSON Schema, or shorthand. Only of a server of `alcove/fastify`, which does not validate cookies. */
  readonly cookies?: object
}

/** A response of a route, as plain data. */
export interface ResponseDescription {
  readonly description?: string
  /** The schemas of the headers, by name. */
  readonly headers?: { readonly [name: string]: JsonSchema }
  /** Schemas of the body by media type. Empty if the reply has no body, or if its payload is not known (`isUnknown`). */
  readonly content: { readonly [mediaType: string]: JsonSchema }
  /**
   * The schema of an item, if the reply is a stream of items (`stream(…)`): the data of an event, or a line of JSON Lines. `content`
   * describes the whole text of the body.
   */
  readonly itemSchema?: JsonSchema
  /** The links of the response by name, in the form of OpenAPI. */
  readonly links?: { readonly [name: string]: unknown }
  /** The examples and other texts of the media types in `content`, by media type. */
  readonly media?: { readonly [mediaType: string]: MediaTypeDocs }
  readonly [extension: `x-${string}`]: unknown
  /**
   * The declarations that the response comes from: `route`, the path of a guard, an error handler or a plugin (`App > Api >
   * Guard.onRequest`), or `alcove` for a reply that the framework itself gives.
   */
  readonly from: readonly string[]
  /**
   * True if the payload is not known, because errors of this status go to an error handler or not-found handler that declares no response
   * for them.
   */
  readonly isUnknown?: true
}

/** Security schemes that a request must satisfy all together, each with the scopes that it requires. */
export interface SecurityRequirement {
  readonly [scheme: string]: readonly string[]
}

/** A route, with everything that is declared for it, as plain data. */
export interface RouteDescription {
  readonly methods: readonly string[]
  /** The methods of the route whose bodies are not read. Absent if the bodies of all its methods are read, or of none. */
  readonly methodsWithoutBody?: readonly string[]
  /** The path as declared, with the prefix: `/users/:id`. */
  readonly url: string
  /**
   * The constraints that a request must match, besides method and path, to find the route: `{ version: '2.0.0' }`. Absent without
   * constraints.
   */
  readonly constraints?: { readonly [name: string]: unknown }
  /** Whether the route is a HEAD route that was made for a GET route. */
  readonly isAutomatic: boolean
  /** The path of the handler's class and its method, `App > Api > Users.find`; if the handler is a function, its name. */
  readonly place: string
  /** The path of the route's context: `App > Api`. */
  readonly context: string
  /** The status of replies for which neither the handler nor an error sets another status. */
  readonly status: number
  /**
   * The hooks of the route, in the order in which they run. `around` hooks are listed between preHandler and preSerialization, outermost
   * first.
   */
  readonly hooks: readonly HookDescription[]
  /** The error handlers that an error of the route reaches, in this order. The default error handler is not listed. */
  readonly errorHandlers: readonly HandlerDescription[]
  /** The function that creates the errors of failed validations. Absent if it is the default function. */
  readonly schemaErrorFormatter?: HandlerDescription
  /**
   * The engine that validates each part of the request: `ajv`, a schema library (`Zod`), both (`ajv + Zod`: ajv coerces texts, Zod
   * validates), or `validatorCompiler` if the application set a compiler.
   */
  readonly engines: { readonly [P in keyof InputDescription]?: string }
  readonly input: InputDescription
  /**
   * The request parts whose schema is of a library that offers no JSON Schema. In `input`, such a part is described as any value. Absent if
   * there are no such parts.
   */
  readonly opaqueParts?: readonly (keyof InputDescription)[]
  /**
   * Whether a request without a body is accepted, by media type: the answer of the library that validates the body. Absent for a body that
   * is validated by JSON Schema, which accepts an absent body if it accepts `null`, and if the library answers by a promise.
   */
  readonly acceptsNoBody?: { readonly [mediaType: string]: boolean }
  /** The texts about the body that documents show besides its schemas. Absent if there are none. */
  readonly bodyDocs?: {
    readonly description?: string
    readonly media?: { readonly [mediaType: string]: MediaTypeDocs }
    readonly [extension: `x-${string}`]: unknown
  }
  /**
   * Keys of the route's schemas that documents leave out, because OpenAPI has no place for them: `schemes`, `response 200 > sample`. Absent
   * if there are none.
   */
  readonly leftOut?: readonly string[]
  /**
   * Responses by status (`200`), range (`2xx`) or `default`: responses of the route itself, of the guards, error handlers and plugins that
   * cover it, and of the framework.
   */
  readonly responses: { readonly [status: string]: ResponseDescription }
  /** The security requirements of the route. A request must satisfy one of them. Empty if nothing is required. */
  readonly security: readonly SecurityRequirement[]
  /** The limits of a request. `bodyLimit`: bytes, absent if no body is read. `handlerTimeout`: ms, absent if there is no limit. */
  readonly limits: { readonly bodyLimit?: number; readonly handlerTimeout?: number }
  /** Whether clients should stop using the route. */
  readonly deprecated: boolean
  /** When the deprecation began and when the route may end. Absent if the route is not deprecated, or is deprecated without dates. */
  readonly deprecation?: DeprecationDescription
  /** The texts for the documentation of the route, inherited ones included. */
  readonly docs: RouteDocs & SchemaDocs
}

/** A security scheme, with the guards and plugins that declare it. */
export interface SecuritySchemeDescription {
  readonly scheme: SecurityScheme
  /** The paths of the guards and plugins that declare the scheme: `App > Api > Guard.onRequest`. */
  readonly from: readonly string[]
}

/** An application as plain data: its routes, and the schemas and security schemes that the routes refer to. */
export interface ApplicationDescription {
  readonly name: string
  /**
   * The routes of all contexts, each context before the contexts below it. HEAD routes that were made for GET routes are among them
   * (`isAutomatic`).
   */
  readonly routes: readonly RouteDescription[]
  /** The shared schemas that are visible in each context, by the path of the context and by `$id`. */
  readonly schemas: { readonly [context: string]: { readonly [id: string]: JsonSchema } }
  readonly securitySchemes: { readonly [name: string]: SecuritySchemeDescription }
  /**
   * The paths of the plugin functions and `setup` methods that may add routes, hooks and schemas that are missing in the description of a
   * class, because these functions have not run. Empty in the description of a server.
   */
  readonly mayAddRoutes: readonly string[]
}
