/** The types of an OpenAPI document after reading. References to schemas are kept; all other references are replaced with their targets. */
import type { SecurityRequirement, SecurityScheme } from '../../../lib/index.js'
import type { OpenApiInfo, OpenApiSchema, OpenApiServer, OpenApiTag } from '../openapi/document-types.js'

/** A note that alcove left out a place of an OpenAPI document, with the reason. */
export interface ContractNote {
  /** The place in the document as a JSON Pointer (RFC 6901): `/paths/~1pets/get`. */
  readonly pointer: string
  readonly reason: string
}

/** The fields `x-…` of an object of an OpenAPI document, which are meant for tools. */
export type Extensions = { readonly [extension: `x-${string}`]: unknown }

export interface ContractMedia {
  readonly schema: OpenApiSchema
  readonly example?: unknown
  readonly examples?: { readonly [name: string]: unknown }
  readonly encoding?: { readonly [property: string]: unknown }
}

export type ContractContent = Readonly<Record<string, ContractMedia>>

export interface ContractParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly description?: string
  readonly deprecated?: true
  /** The `style` of the parameter; absent if it is the default style for the parameter's place (path, query, header or cookie). */
  readonly style?: string
  readonly explode?: boolean
  readonly schema: OpenApiSchema
}

export interface ContractHeader {
  readonly description?: string
  readonly deprecated?: true
  readonly schema: OpenApiSchema
}

export interface ContractBody {
  readonly description?: string
  readonly required: boolean
  readonly content: ContractContent
  readonly extensions: Extensions
}

export interface ContractResponse {
  readonly description: string
  readonly headers: Readonly<Record<string, ContractHeader>>
  readonly content: ContractContent
  readonly links?: object
  readonly extensions: Extensions
}

export interface ContractOperation {
  /** The place of the operation in the document, as a JSON Pointer: `/paths/~1pets/get`. */
  readonly pointer: string
  /** The HTTP method in lower case: `get`. */
  readonly method: string
  /** The path as it is written in the document: `/pets/{petId}`. */
  readonly path: string
  readonly operationId?: string
  readonly tags: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: true
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  readonly servers?: readonly OpenApiServer[]
  readonly callbacks?: object
  readonly parameters: readonly ContractParameter[]
  readonly body?: ContractBody
  /** The responses by status (`404`), range (`4XX`) or `default`. */
  readonly responses: Readonly<Record<string, ContractResponse>>
  /** The security requirements. A request must satisfy one of them; if there are none, the operation is open to everyone. */
  readonly security: readonly SecurityRequirement[]
  readonly extensions: Extensions
}

/**
 * The content of an OpenAPI document, in the same form for the versions 3.0 and 3.1. The schemas are of JSON Schema 2020-12, and refer to
 * each other by name.
 */
export interface Contract {
  readonly info: OpenApiInfo
  readonly servers: readonly OpenApiServer[]
  readonly tags: readonly OpenApiTag[]
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  readonly extensions: Extensions
  /** The schemas by name. A reference to a schema is `#/components/schemas/<name>`. */
  readonly schemas: Readonly<Record<string, OpenApiSchema>>
  readonly operations: readonly ContractOperation[]
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
  /** The notes on the places of the document that were left out. */
  readonly notes: readonly ContractNote[]
}
