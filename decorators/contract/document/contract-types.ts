/** An OpenAPI document that was read: without references between its parts, but for those to schemas. */
import type { SecurityRequirement, SecurityScheme } from '../../../lib/index.js'
import type { OpenApiInfo, OpenApiSchema, OpenApiServer, OpenApiTag } from '../openapi/document-types.js'

/** Something of the document that is not kept, and why. */
export interface ContractNote {
  /** The place in the document, as a JSON Pointer (RFC 6901): `/paths/~1pets/get`. */
  readonly pointer: string
  readonly reason: string
}

/** What a document says beside the keys that are read: fields for tools. */
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
  /** Only if it is not the one that parameters of this kind have anyway. */
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
  /** Where it stands in the document. */
  readonly pointer: string
  /** In lower case. */
  readonly method: string
  /** `/pets/{petId}` */
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
  /** By status (`404`), range (`4XX`) or `default`. */
  readonly responses: Readonly<Record<string, ContractResponse>>
  /** Alternatives of which a request must satisfy one; empty: it is open to everyone. */
  readonly security: readonly SecurityRequirement[]
  readonly extensions: Extensions
}

/** What a document says, in one form for all versions: its schemas are those of JSON Schema 2020-12, and refer to each other by name. */
export interface Contract {
  readonly info: OpenApiInfo
  readonly servers: readonly OpenApiServer[]
  readonly tags: readonly OpenApiTag[]
  readonly externalDocs?: { readonly url: string; readonly description?: string }
  readonly extensions: Extensions
  /** By name. A reference to one is `#/components/schemas/<name>`. */
  readonly schemas: Readonly<Record<string, OpenApiSchema>>
  readonly operations: readonly ContractOperation[]
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
  /** What was left out when it was read. */
  readonly notes: readonly ContractNote[]
}
