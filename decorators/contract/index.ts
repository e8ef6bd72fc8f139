/** The exports of `alcove/contract`: the interface of an application as data, as OpenAPI, and as a client file. */
import '../declare/metadata.js'

export { clientFile, type ClientFileOptions } from './client-file/client-file.js'
export { describe } from './describe.js'
export { contractDifferences } from './document/differences.js'
export { docsPage, type DocsPageOptions, docsPlugin } from './docs-page.js'
export type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiInfo,
  OpenApiOperation,
  OpenApiOptions,
  OpenApiParameter,
  OpenApiPathItem,
  OpenApiReference,
  OpenApiRequestBody,
  OpenApiResponse,
  OpenApiSchema,
  OpenApiServer,
  OpenApiTag,
  OpenApiWarning,
} from './openapi/document-types.js'
export { openapi } from './openapi/openapi.js'
export type {
  ApplicationDescription,
  InputDescription,
  JsonSchema,
  MediaTypeDocs,
  ResponseDescription,
  RouteDescription,
  SchemaDocs,
  SecurityRequirement,
  SecurityScheme,
} from '../../lib/index.js'
