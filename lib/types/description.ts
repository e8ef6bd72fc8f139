/** Descriptions of routes, contexts and applications as plain data, and what guards, error handlers and plugins declare for them. */
import type { LifecycleHookName } from './hooks.js'

/** JSON Schema, draft 7. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown }

/**
 * What a guard, an error handler or a plugin may answer besides the handlers of the routes that it covers:
 * ```ts
 * const contract: Contract = { responses: { 401: Problem }, security: { bearer: { type: 'http', scheme: 'bearer' } } }
 * ```
 * It describes replies and does not change them: they are serialized as if it were not there.
 */
export interface Contract {
  /** By status (`401`), range (`4xx`) or `default`, in the form of `schema.response` of a route. */
  readonly responses?: { readonly [status: string | number]: unknown }
  /**
   * How a client authenticates, by the name of the scheme. A request that satisfies one of the schemes is let in. If several guards cover
   * a route, a request must satisfy each of them.
   */
  readonly security?: SecuritySchemes
}

/** Security schemes by name. */
export interface SecuritySchemes {
  readonly [name: string]: SecurityScheme & {
    /** The scopes that a request needs, for `oauth2` and `openIdConnect`. Default: none. */
    readonly scopes?: readonly string[]
  }
}

/** A security scheme, as OpenAPI defines it (https://spec.openapis.org/oas/v3.1.1#security-scheme-object). */
export interface SecurityScheme {
  readonly type: 'http' | 'apiKey' | 'oauth2' | 'openIdConnect' | 'mutualTLS'
  readonly description?: string
  /** For `http`: `bearer`, `basic` … */
  readonly scheme?: string
  /** For `http` with the scheme `bearer`: `JWT`. */
  readonly bearerFormat?: string
  /** For `apiKey`: the name of the header, of the parameter or of the cookie. */
  readonly name?: string
  /** For `apiKey`. */
  readonly in?: 'header' | 'query' | 'cookie'
  /** For `oauth2`. */
  readonly flows?: { readonly [flow: string]: unknown }
  /** For `openIdConnect`. */
  readonly openIdConnectUrl?: string
  readonly [extension: `x-${string}`]: unknown
}

/** Texts of a plugin or a controller for the documentation of its routes. A context, controller or route below may set its own. */
export interface ContextDocs {
  /** The groups that pages of documentation show the routes in: `['users']`. */
  readonly tags?: readonly string[]
  /** Whether clients should stop using the routes. */
  readonly deprecated?: boolean
  /** Whether documents leave the routes out. */
  readonly hide?: boolean
  /** A page that says more about the routes. */
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  readonly [extension: `x-${string}`]: unknown
}

/** Texts of a route for its documentation. */
export interface RouteDocs extends ContextDocs {
  /** What the route does, in a few words. */
  readonly summary?: string
  /** What the route does, in Markdown. */
  readonly description?: string
  /** The name of the operation in the document, which must be unique: `findUser`. */
  readonly operationId?: string
}

/** A context and the contexts below it, as `describeContexts` returns them. */
export interface ContextDescription {
  /** The name of the class or plugin. */
  readonly name: string
  /** The names from the root to this context: `App > PublicPlugin`. */
  readonly path: string
  /** The prefix of its routes, including its ancestors' prefixes. Empty if there is none. */
  readonly prefix: string
  /** Names of the request decorators that this context itself adds. */
  readonly requestDecorators: readonly string[]
  /** Names of the reply decorators that this context itself adds. */
  readonly replyDecorators: readonly string[]
  /** The `$id` of each shared schema that is visible here. */
  readonly schemas: readonly string[]
  /** The body parsers that this context itself adds. */
  readonly contentTypeParsers: readonly { readonly type: string; readonly name: string }[]
  /** The name of the handler that this context sets for unknown paths. Absent if it sets none. */
  readonly notFoundHandler?: string
  /** The routes that are declared here, including the HEAD routes that GET routes get. */
  readonly routes: readonly RouteDescription[]
  readonly children: readonly ContextDescription[]
}

/** A hook that runs for a route. */
export interface HookDescription {
  readonly hook: LifecycleHookName | 'around'
  /** The name of the function, or of the class and its method: `Guard.onRequest`. */
  readonly name: string
  /** The path of the context that added it; `route` if it is an option of the route. */
  readonly from: string
}

/** An error handler or formatter of a route. */
export interface HandlerDescription {
  /** The name of the function, or of the class and its method: `ApiErrors.errorHandler`. */
  readonly name: string
  /** The path of the context that set it; `route` if it is an option of the route. */
  readonly from: string
}

/** The schemas of the parts of a request, as the validator of each part gets them. References lead to the shared schemas of the context. */
export interface InputDescription {
  readonly params?: JsonSchema
  readonly querystring?: JsonSchema
  readonly headers?: JsonSchema
  readonly cookies?: JsonSchema
  /** By media type. `application/json` stands for all types whose suffix is `+json` too. */
  readonly body?: { readonly [mediaType: string]: JsonSchema }
}

/** What a `content` map says of a media type beside its schema, as OpenAPI has it: https://spec.openapis.org/oas/v3.1.1#media-type-object */
export interface MediaTypeDocs {
  readonly example?: unknown
  readonly examples?: unknown
  /** How the parts of a form are encoded. */
  readonly encoding?: unknown
  readonly [extension: `x-${string}`]: unknown
}

/** What the schemas of a route say of its operation in documents. The server does not read it. */
export interface SchemaDocs {
  readonly servers?: readonly object[]
  readonly callbacks?: object
  /** JSON Schema, or shorthand. Only of a server of `alcove/fastify`, which does not validate cookies. */
  readonly cookies?: object
}

/** One response of a route. */
export interface ResponseDescription {
  readonly description?: string
  /** Schemas by the name of the header. */
  readonly headers?: { readonly [name: string]: JsonSchema }
  /** Schemas by media type. Empty if the reply has no body, or if its payload is not known (`isUnknown`). */
  readonly content: { readonly [mediaType: string]: JsonSchema }
  /**
   * The schema of an item, if the reply is a stream of items (`stream(…)`): the data of an event, or a line of JSON Lines. `content` describes
   * the text as a whole.
   */
  readonly itemSchema?: JsonSchema
  /** Links as OpenAPI has them, by name. */
  readonly links?: { readonly [name: string]: unknown }
  /** What is said of media types beside their schemas. */
  readonly media?: { readonly [mediaType: string]: MediaTypeDocs }
  readonly [extension: `x-${string}`]: unknown
  /**
   * What declares it: `route`, the path of a guard, an error handler or a plugin (`App > Api > Guard.onRequest`), or `alcove` for a reply of
   * the framework.
   */
  readonly from: readonly string[]
  /** An error of this status goes to an error handler or not-found handler that declares no response for it, so its payload is not known. */
  readonly isUnknown?: true
}

/** The schemes that a request must satisfy together, with the scopes of each. */
export interface SecurityRequirement {
  readonly [scheme: string]: readonly string[]
}

/** A route: everything about it that is declared. */
export interface RouteDescription {
  readonly methods: readonly string[]
  /** Those of `methods` whose bodies are not read, if bodies of others are. Absent if it is the same for all. */
  readonly methodsWithoutBody?: readonly string[]
  /** The path as declared, with the prefix: `/users/:id`. */
  readonly url: string
  /** What else a request must have to find the route: `{ version: '2.0.0' }`. Absent without constraints. */
  readonly constraints?: { readonly [name: string]: unknown }
  /** Whether it is a HEAD route that a GET route got. */
  readonly isAutomatic: boolean
  /** The path of the class and its method, `App > Api > Users.find`; for a function its name. */
  readonly place: string
  /** The path of its context: `App > Api`. */
  readonly context: string
  /** The status of a reply if neither the handler nor an error sets another. */
  readonly status: number
  /** The hooks of the route, in the order in which they run. `around` stands between preHandler and preSerialization, outermost first. */
  readonly hooks: readonly HookDescription[]
  /** The error handlers that an error of the route reaches one after the other, without the default one. */
  readonly errorHandlers: readonly HandlerDescription[]
  /** What creates the errors of failed validations. Absent if it is the default one. */
  readonly schemaErrorFormatter?: HandlerDescription
  /**
   * The engine that validates each part: `ajv`, a schema library (`Zod`), both (`ajv + Zod`: ajv coerces texts, Zod validates), or
   * `validatorCompiler` for one of the application.
   */
  readonly engines: { readonly [P in keyof InputDescription]?: string }
  readonly input: InputDescription
  /**
   * The parts whose schema is of a library that offers no JSON Schema. `input` describes them as any value, and a body that may not be absent
   * as any value but `null`. Absent if there are none.
   */
  readonly opaqueParts?: readonly (keyof InputDescription)[]
  /** What is said of the body beside its schemas, for documents. Absent if nothing is. */
  readonly bodyDocs?: {
    readonly description?: string
    readonly media?: { readonly [mediaType: string]: MediaTypeDocs }
    readonly [extension: `x-${string}`]: unknown
  }
  /** Keys of the schemas that documents have no place for: `schemes`, `response 200 > sample`. Absent if there are none. */
  readonly leftOut?: readonly string[]
  /** By status (`200`), range (`2xx`) or `default`: those of the route, of what covers it, and of the framework. */
  readonly responses: { readonly [status: string]: ResponseDescription }
  /** A request must satisfy one of them. Empty if nothing is required. */
  readonly security: readonly SecurityRequirement[]
  /** bodyLimit: bytes, absent if no body is read; handlerTimeout: ms, absent without limit. */
  readonly limits: { readonly bodyLimit?: number; readonly handlerTimeout?: number }
  readonly deprecated: boolean
  /** The texts of the route with those that it inherits. `deprecated` stands beside them. */
  readonly docs: Omit<RouteDocs, 'deprecated'> & SchemaDocs
}

/** A security scheme, and what declares it. */
export interface SecuritySchemeDescription {
  readonly scheme: SecurityScheme
  /** The paths of the guards and plugins: `App > Api > Guard.onRequest`. */
  readonly from: readonly string[]
}

/** An application: its routes, and what these refer to. */
export interface ApplicationDescription {
  readonly name: string
  /** The routes of all contexts, each context before those below it. HEAD routes that GET routes got are among them (`isAutomatic`). */
  readonly routes: readonly RouteDescription[]
  /** The shared schemas that are visible in each context, by the path of the context and by `$id`. */
  readonly schemas: { readonly [context: string]: { readonly [id: string]: JsonSchema } }
  readonly securitySchemes: { readonly [name: string]: SecuritySchemeDescription }
  /**
   * The plugin functions and `setup` methods that may add routes, hooks and schemas of which the description of a class knows nothing, by
   * their paths. Empty in the description of a server, which knows them all.
   */
  readonly mayAddRoutes: readonly string[]
}
