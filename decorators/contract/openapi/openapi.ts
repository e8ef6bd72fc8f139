/** `openapi`: the OpenAPI document of an application. */
import type { Server, ServerOptions } from '../../../lib/index.js'
import type { Class } from '../../declare/metadata.js'
import { describe } from '../describe.js'
import type { OpenApiDocument, OpenApiOptions } from './document-types.js'
import { writeDocument } from './document.js'
import { assertOptions } from './options.js'

/**
 * Writes the OpenAPI document of a plugin class or of a server that is ready. For a class nothing is constructed: no port and no database
 * is opened. Only the document of a server contains the routes that plugin functions and `setup` methods add.
 * ```ts
 * const document = openapi(App, { info: { title: 'Shop', version: '1.0.0' }, servers: [{ url: 'https://api.example.com' }] })
 * ```
 * @param serverOptions for a class: the options that `bootstrap` gets
 * @throws TypeError for invalid options
 * @throws WiringError if the wiring of a class is wrong, or two routes declare the same `operationId` (OPERATION_ID_REPEATED)
 * @see https://spec.openapis.org/oas/v3.1.1
 */
export function openapi(source: Class | Server, options: OpenApiOptions, serverOptions?: ServerOptions): OpenApiDocument {
  assertOptions('openapi', options)
  return writeDocument(describe(source, serverOptions), options)
}
