/** Writes the OpenAPI document of a described application. */
import type { ApplicationDescription, RouteDescription } from '../../../lib/index.js'
import { withoutSlashTwins } from '../describe.js'
import { Components } from './components.js'
import { type DocumentContext, routeLabel } from './document-context.js'
import type { OpenApiDocument, OpenApiOperation, OpenApiOptions, OpenApiPathItem, OpenApiTag, OpenApiWarning } from './document-types.js'
import { commonMethods, describeOperation, isInDocument, nameOperations, type OperationPlace, operationPlaces } from './operations.js'
import { renameParameters, withoutNames } from './paths.js'
import { shareResponses } from './shared-responses.js'

/** Writes the OpenAPI document of a described application. @throws WiringError if two routes declare the same `operationId` */
export function writeDocument(description: ApplicationDescription, options: OpenApiOptions): OpenApiDocument {
  const { info, version = '3.1', basePath, externalDocs } = options
  const warn = (kind: OpenApiWarning['kind'], message: string): void => options.onWarning?.({ kind, message })
  const context: DocumentContext = { description, options, components: new Components((message) => warn('lossy', message)), warn }
  const described = withoutSlashTwins(description.routes).filter((route) => isInDocument(route, context))
  const places = nameOperations(placeOperations(described, context), context)
  const shared = shareResponses(places.map((place) => describeOperation(place, context)))
  const operations = places.map((place, index) => ({ place, operation: shared.operations[index]! }))
  const paths: Record<string, Record<string, any>> = {}
  for (const { place, operation } of operations) addOperation(paths, place, operation)
  const responses = Object.keys(shared.responses).length > 0 ? shared.responses : undefined
  const schemas = usedSchemas({ paths, responses }, context.components.schemas)
  const securitySchemes = usedSchemes(operations, description)
  const tags = collectTags(operations, options.tags ?? [])
  return {
    openapi: version === '3.2' ? '3.2.0' : '3.1.1',
    info,
    servers: options.servers ?? [{ url: basePath ?? '/' }],
    // An operation without `security` is open to everyone.
    security: [],
    ...(tags.length > 0 && { tags }),
    ...(externalDocs !== undefined && { externalDocs }),
    ...Object.fromEntries(Object.entries(options).filter(([name]) => name.startsWith('x-'))),
    paths,
    ...((schemas ?? responses ?? securitySchemes) !== undefined && {
      components: { ...(schemas && { schemas }), ...(responses && { responses }), ...(securitySchemes && { securitySchemes }) },
    }),
  }
}

interface PlacedOperation {
  readonly place: OperationPlace
  readonly operation: OpenApiOperation
}

/**
 * Returns the path and method of each operation in the document. If two routes have the same path and method, the second is left out with a
 * warning.
 */
function placeOperations(routes: readonly RouteDescription[], context: DocumentContext): OperationPlace[] {
  const templates = new Map<string, string>()
  const taken = new Map<string, RouteDescription>()
  return routes
    .flatMap((route) => operationPlaces(route, context))
    .flatMap((operationPlace) => {
      // A document contains a path once, whatever its parameters are called.
      const bare = withoutNames(operationPlace.path.template)
      const template = templates.get(bare) ?? operationPlace.path.template
      templates.set(bare, template)
      const key = `${operationPlace.method} ${template}`
      const other = taken.get(key)
      if (other !== undefined) {
        reportSamePlace(operationPlace.route, other, key, context)
        return []
      }
      taken.set(key, operationPlace.route)
      return [{ ...operationPlace, path: renameParameters(operationPlace.path, template) }]
    })
}

function reportSamePlace(route: RouteDescription, other: RouteDescription, key: string, { warn }: DocumentContext): void {
  warn(
    'lossy',
    `${routeLabel(route)} is left out: a document can contain ${key} only once, and ${routeLabel(other)} is there. Write a document for each of them with the option include.`,
  )
}

function addOperation(paths: Record<string, Record<string, any>>, { path, method }: OperationPlace, operation: OpenApiOperation): void {
  const item: Record<string, OpenApiPathItem[string]> = (paths[path.template] ??= {})
  // OpenAPI 3.2 has a field for QUERY too.
  if (commonMethods.has(method) || method === 'QUERY') item[method.toLowerCase()] = operation
  else item['additionalOperations'] = { ...item['additionalOperations'], [method]: operation }
}

/**
 * Returns the component schemas that the sections of a document refer to; `undefined` if there are none. Schemas whose properties became
 * parameters are not referred to, so they are left out.
 */
function usedSchemas(sections: object, schemas: Readonly<Record<string, any>>): Record<string, any> | undefined {
  const used = new Set<string>()
  const visit = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return
    for (const [key, entry] of Object.entries(value)) {
      const name = key === '$ref' && typeof entry === 'string' ? /^#\/components\/schemas\/(.*)$/.exec(entry)?.[1] : undefined
      if (name === undefined) visit(entry)
      else if (!used.has(name)) {
        used.add(name)
        visit(schemas[name])
      }
    }
  }
  visit(sections)
  if (used.size === 0) return undefined
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
}

function usedSchemes(operations: readonly PlacedOperation[], { securitySchemes }: ApplicationDescription): Record<string, any> | undefined {
  const used = new Set(operations.flatMap(({ operation }) => (operation.security ?? []).flatMap((requirement) => Object.keys(requirement))))
  const entries = Object.entries(securitySchemes).filter(([name]) => used.has(name))
  return entries.length === 0 ? undefined : Object.fromEntries(entries.map(([name, { scheme }]) => [name, scheme]))
}

function collectTags(operations: readonly PlacedOperation[], tags: readonly OpenApiTag[]): readonly OpenApiTag[] {
  const known = new Set(tags.map(({ name }) => name))
  const used = new Set(operations.flatMap(({ operation }) => operation.tags ?? []))
  return [...tags, ...[...used].filter((name) => !known.has(name)).map((name) => ({ name }))]
}
