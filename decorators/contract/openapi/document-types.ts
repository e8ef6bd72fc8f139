/** The types of the OpenAPI documents that alcove writes, and of the options of `openapi`. */
import type { RouteDescription, SecurityRequirement, SecurityScheme } from '../../../lib/index.js'

/** The fields `x-…` of an object, which are meant for other tools. alcove copies them unchanged. */
interface Extensible {
  readonly [extension: `x-${string}`]: unknown
}

/** Facts about an API, such as its title and version: https://spec.openapis.org/oas/v3.1.1#info-object */
export interface OpenApiInfo extends Extensible {
  readonly title: string
  /** The version of the API, not of OpenAPI. */
  readonly version: string
  readonly summary?: string
  readonly description?: string
  readonly termsOfService?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string }
}

/** A server that offers the API: https://spec.openapis.org/oas/v3.1.1#server-object */
export interface OpenApiServer extends Extensible {
  /** The URL of the server. It may be relative to the URL of the document: `/api`. */
  readonly url: string
  readonly description?: string
  readonly variables?: {
    readonly [name: string]: { readonly default: string; readonly enum?: readonly string[]; readonly description?: string }
  }
}

/** A tag, by which tools group operations: https://spec.openapis.org/oas/v3.1.1#tag-object */
export interface OpenApiTag extends Extensible {
  readonly name: string
  readonly description?: string
  readonly externalDocs?: { readonly url: string; readonly description?: string }
}

/**
 * The options of `openapi`:
 * ```ts
 * const document: OpenApiOptions = { info: { title: 'Shop', version: '1.0.0' }, servers: [{ url: 'https://api.example.com' }] }
 * ```
 */
export interface OpenApiOptions extends Extensible {
  readonly info: OpenApiInfo
  /** The servers that offer the API. Default: the server from which the document is loaded, at `basePath`. */
  readonly servers?: readonly OpenApiServer[]
  /** The version of OpenAPI. Only 3.2 has operations for QUERY and for methods that OpenAPI does not name. Default: `'3.1'`. */
  readonly version?: '3.1' | '3.2'
  /**
   * The path prefix of the described routes, such as `/api`. Paths in the document are relative to the prefix, and routes outside of it are
   * left out.
   */
  readonly basePath?: string
  /**
   * A function that returns whether a route is described, for instance to select the routes of one version. Default: all routes that are
   * not hidden.
   */
  readonly include?: (route: RouteDescription) => boolean
  /**
   * Returns the `operationId` of a route that declares none. Default: class and method, `usersFindOne` for `UsersController.findOne`; for a
   * handler function its method and path, `getUsersById`. If two operations would have the same name, the names of their contexts are
   * prepended: `adminUsersFindOne`.
   */
  readonly operationId?: (route: RouteDescription) => string
  /** The tags of the document, with their descriptions and in their order. Tags that only routes name are added at the end. */
  readonly tags?: readonly OpenApiTag[]
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  /** A function that is called for each fact about the application that the document lacks or cannot express. */
  readonly onWarning?: (warning: OpenApiWarning) => void
}

/** A warning that an OpenAPI document says less than the application does at a place. */
export interface OpenApiWarning {
  /**
   * The kind of the warning. `lossy`: OpenAPI cannot express a fact about the application, so the document leaves it out. `undescribed`:
   * the application declares too little, so the document contains a default.
   */
  readonly kind: 'lossy' | 'undescribed'
  /** The text of the warning, with the place, the fault and the cure. */
  readonly message: string
}

/** A schema of JSON Schema 2020-12. */
export type OpenApiSchema = boolean | { readonly [keyword: string]: any }

/** A parameter of an operation: https://spec.openapis.org/oas/v3.1.1#parameter-object */
export interface OpenApiParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required?: boolean
  readonly description?: string
  readonly deprecated?: boolean
  readonly style?: 'form' | 'deepObject'
  readonly explode?: boolean
  readonly example?: unknown
  readonly schema: OpenApiSchema
}

/** The schemas and examples of a payload by media type: https://spec.openapis.org/oas/v3.1.1#media-type-object */
export interface OpenApiContent {
  readonly [mediaType: string]: Extensible & {
    readonly schema?: OpenApiSchema
    readonly example?: unknown
    readonly examples?: { readonly [name: string]: unknown }
    readonly encoding?: { readonly [property: string]: unknown }
    /** The schema of each item of a stream. Only documents of OpenAPI 3.2 have this field. */
    readonly itemSchema?: OpenApiSchema
  }
}

/** A response of an operation: https://spec.openapis.org/oas/v3.1.1#response-object */
export interface OpenApiResponse extends Extensible {
  readonly description: string
  readonly headers?: { readonly [name: string]: { readonly description?: string; readonly schema: OpenApiSchema } }
  readonly content?: OpenApiContent
  readonly links?: { readonly [name: string]: unknown }
}

/** A reference to a component of an OpenAPI document: `{ $ref: '#/components/responses/NotFound' }`. */
export interface OpenApiReference {
  readonly $ref: string
}

/** The request body of an operation: https://spec.openapis.org/oas/v3.1.1#request-body-object */
export interface OpenApiRequestBody extends Extensible {
  readonly description?: string
  readonly required: boolean
  readonly content: OpenApiContent
}

/** An operation, which is one method of one path: https://spec.openapis.org/oas/v3.1.1#operation-object */
export interface OpenApiOperation extends Extensible {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  readonly servers?: readonly OpenApiServer[]
  readonly parameters?: readonly OpenApiParameter[]
  readonly requestBody?: OpenApiRequestBody
  readonly responses: { readonly [status: string]: OpenApiResponse | OpenApiReference }
  readonly callbacks?: { readonly [name: string]: unknown }
  readonly security?: readonly SecurityRequirement[]
}

/**
 * The operations of a path, by method in lower case. In version 3.2, `additionalOperations` has the methods without an OpenAPI field, in
 * capitals.
 */
export interface OpenApiPathItem {
  readonly [method: string]: OpenApiOperation | { readonly [method: string]: OpenApiOperation }
}

/** An OpenAPI document: https://spec.openapis.org/oas/v3.1.1 */
export interface OpenApiDocument extends Extensible {
  readonly openapi: string
  readonly info: OpenApiInfo
  readonly servers: readonly OpenApiServer[]
  readonly security: readonly SecurityRequirement[]
  readonly tags?: readonly OpenApiTag[]
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  readonly paths: { readonly [template: string]: OpenApiPathItem }
  readonly components?: {
    readonly schemas?: { readonly [name: string]: OpenApiSchema }
    readonly responses?: { readonly [name: string]: OpenApiResponse }
    readonly securitySchemes?: { readonly [name: string]: SecurityScheme }
  }
}
