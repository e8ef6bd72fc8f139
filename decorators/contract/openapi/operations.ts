/** The operations of an OpenAPI document: one for each method and each path template of a route. */
import type { ApplicationDescription, ResponseDescription, RouteDescription } from '../../../lib/index.js'
import { fault, WiringError } from '../../wiring/faults.js'
import { deprecationExtensions } from '../document/deprecation.js'
import type { Components, SchemaUse } from './components.js'
import { type DocumentContext, routeLabel } from './document-context.js'
import type { OpenApiOperation, OpenApiParameter, OpenApiSchema, OpenApiServer } from './document-types.js'
import { requestBody, responses, statusDescription } from './messages.js'
import { capital, defaultSummary, defaultTag, findWrittenTwice, nameableOf, tellApart } from './operation-names.js'
import { cookieParameters, headerParameters, type PartContext, pathParameters, queryParameters, versionParameter } from './parameters.js'
import { type PathTemplate, templatesOf } from './paths.js'

/** The place of an operation in an OpenAPI document: its method and its path. */
export interface OperationPlace {
  readonly route: RouteDescription
  /** The method of the operation, in capitals. */
  readonly method: string
  readonly path: PathTemplate
}

/** The place of an operation in an OpenAPI document, with its `operationId`. */
export interface NamedPlace extends OperationPlace {
  readonly operationId: string
}

/** The methods that OpenAPI 3.1 and 3.2 both have a field for. */
export const commonMethods: ReadonlySet<string> = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE'])

/** The methods whose requests usually have a body. */
const usualBodies: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Whether the OpenAPI document describes a route. HEAD routes that were added to GET routes, hidden routes, and routes that the options
 * `basePath` and `include` exclude are left out.
 */
export function isInDocument(route: RouteDescription, { options }: DocumentContext): boolean {
  const { basePath, include } = options
  if (route.isAutomatic || route.docs.hide === true) return false
  if (basePath !== undefined && route.url !== basePath && !route.url.startsWith(`${basePath}/`)) return false
  return include === undefined || include(route)
}

export function operationPlaces(route: RouteDescription, { options, warn }: DocumentContext): OperationPlace[] {
  const url = route.url.slice(options.basePath?.length ?? 0) || '/'
  if (!url.startsWith('/')) {
    warn('lossy', `${routeLabel(route)} is left out: in OpenAPI a path begins with a slash. Hide the route with docs: { hide: true }.`)
    return []
  }
  const templates = templatesOf(url)
  return route.methods.flatMap((method) => {
    const own = ofMethod(route, method)
    if (!commonMethods.has(method) && options.version !== '3.2') {
      warn(
        'lossy',
        `${routeLabel(route)} is left out: OpenAPI 3.1 has no operations for ${method}. Write the document with version: '3.2'.`,
      )
      return []
    }
    return templates.map((path) => ({ route: own, method, path }))
  })
}

/**
 * Returns the description of a route for one of its methods: without the body and its errors if the server reads no body for this method.
 */
export function ofMethod(route: RouteDescription, method: string): RouteDescription {
  if (route.methodsWithoutBody?.includes(method) !== true) return route
  const { body: _body, ...input } = route.input
  const isRefused = Object.keys(input).length > 0 || route.url.includes(':') || route.url.includes('*')
  const ofBody = isRefused ? ['413', '415'] : ['400', '413', '415']
  const responses = Object.entries(route.responses).filter(
    ([status, { from }]) => !ofBody.includes(status) || from.some((each) => each !== 'alcove'),
  )
  return { ...route, input, responses: Object.fromEntries(responses) }
}

/** Gives each operation its `operationId`. @throws WiringError if two routes declare the same `operationId` */
export function nameOperations(places: readonly OperationPlace[], { options, description }: DocumentContext): NamedPlace[] {
  const nameables = places.map((place) => {
    const { route, method, path } = place
    const own = nameableOf(route, route.docs.operationId ?? options.operationId?.(route))
    const suffix =
      (route.methods.length === 1 ? '' : capital(method.toLowerCase())) +
      (path.without === undefined ? '' : `Without${capital(path.without)}`)
    return { ...own, wanted: own.wanted + suffix, place }
  })
  const faults = findWrittenTwice(nameables).map(([one, other]) =>
    fault('OPERATION_ID_REPEATED', one.wanted, routeLabel(one.place.route), routeLabel(other.place.route), other.place.route.place),
  )
  if (faults.length > 0) throw new WiringError(description.name, faults)
  const names = tellApart(nameables)
  return places.map((place, index) => ({ ...place, operationId: names[index]! }))
}

export function describeOperation(place: NamedPlace, context: DocumentContext): OpenApiOperation {
  const { route, method, operationId } = place
  const { input, docs, security, deprecated, deprecation } = route
  const convert = converterFor(route, operationId, context)
  const title = routeLabel(route)
  const undescribed = (text: string): void => context.warn('undescribed', `${title}: ${text}`)
  const lossy = (text: string): void => context.warn('lossy', `${title}: ${text}`)
  for (const part of route.opaqueParts ?? [])
    undescribed(
      `the schema of ${part} is of a library that offers no JSON Schema, so ${part === 'body' ? 'the body is any value' : 'its parameters are left out or of any value'}. Wrap it, as toStandardJsonSchema of @valibot/to-json-schema does, or write JSON Schema.`,
    )
  for (const name of new Set(security.flatMap((requirement) => Object.keys(requirement))))
    if (context.description.securitySchemes[name] === undefined)
      undescribed(`nothing that is known without a start declares the security scheme '${name}'. Declare it in the third argument of use.`)
  for (const key of route.leftOut ?? [])
    lossy(`OpenAPI has no place for '${key}' of its schemas, so it is left out. Name it x-…, or write it in the description.`)
  if (input.body === undefined && route.limits.bodyLimit !== undefined && usualBodies.has(method))
    undescribed(
      "it reads a body, of which nothing is said. Write body: … in the schema of the route, or body: { type: 'null' } if it takes none.",
    )
  const messages = { convert, schemas: context.components.schemas, undescribed, lossy, hasItemSchemas: context.options.version === '3.2' }
  const parameters = parametersOf(place, context, convert)
  const servers = serversOf(route, context)
  const { hide: _hide, operationId: _declared, cookies: _cookies, tags, summary, ...texts } = docs
  return {
    operationId,
    tags: tags ?? [defaultTag(route)],
    summary: summary ?? defaultSummary(route),
    ...(servers !== undefined && { servers }),
    ...(texts as Pick<OpenApiOperation, 'servers' | 'callbacks'>),
    ...(deprecated && { deprecated }),
    ...deprecationExtensions(deprecation),
    ...(parameters.length > 0 && { parameters }),
    ...(input.body !== undefined && { requestBody: requestBody(input.body, route, method === 'QUERY', messages) }),
    responses: { ...successOf(route, undescribed), ...responses(route.responses, messages) },
    ...(security.length > 0 && { security }),
  }
}

/**
 * Returns a default success response for a route that describes only errors or no response, because a document must describe at least one
 * response. Returns an empty object for other routes.
 */
function successOf({ responses: described, status }: RouteDescription, undescribed: (text: string) => void): OpenApiOperation['responses'] {
  const isAnswer = ([key, { from }]: [string, ResponseDescription]): boolean =>
    key.startsWith('2') || (from.includes('route') && /^(?:[13]|default$)/.test(key))
  if (Object.entries(described).some(isAnswer)) return {}
  undescribed(
    `it has no response schema for the status ${status}, so nothing is said of this reply. Write response: { ${status}: … } in the schema of the route.`,
  )
  return { [status]: { description: statusDescription(String(status)), ...(status !== 204 && { content: { '*/*': {} } }) } }
}

type Convert = (schema: unknown, part: string, name: string) => OpenApiSchema

/** Returns a function that converts the schemas of a route. @param owner the prefix of component names: `usersFind` */
export function converterFor(
  route: RouteDescription,
  owner: string,
  { components, description }: { readonly components: Components; readonly description: Pick<ApplicationDescription, 'schemas'> },
): Convert {
  const shared = description.schemas[route.context] ?? {}
  return (schema, part, name) => {
    const use: SchemaUse = { shared, context: route.context, place: `${routeLabel(route)}, ${part}`, name: `${capital(owner)}${name}` }
    return components.convert(schema, use)
  }
}

function parametersOf({ route, path }: OperationPlace, { components, warn }: DocumentContext, convert: Convert): OpenApiParameter[] {
  const { input, constraints = {}, docs, security } = route
  const title = routeLabel(route)
  const context: PartContext = {
    schemas: components.schemas,
    lossy: (text) => warn('lossy', `${title}: ${text}`),
    undescribed: (text) => warn('undescribed', `${title}: ${text}`),
  }
  return [
    ...pathParameters(path.parameters, convert(input.params ?? {}, 'params', 'Params'), context),
    ...queryParameters(convert(input.querystring ?? {}, 'querystring', 'Query'), context),
    ...headerParameters(convert(input.headers ?? {}, 'headers', 'Headers'), security.length > 0, context),
    ...cookieParameters(convert(input.cookies ?? completeCookies(docs.cookies), 'cookies', 'Cookies'), context),
    ...(constraints['version'] === undefined ? [] : [versionParameter(constraints['version'])]),
  ]
}

/** Returns the complete schema of cookies. Cookies that are not validated may be declared in shorthand, by their properties alone. */
function completeCookies(cookies: unknown): unknown {
  if (cookies === undefined) return {}
  const isComplete = ['type', 'properties', '$ref', 'allOf'].some((keyword) => keyword in (cookies as object))
  return isComplete ? cookies : { type: 'object', properties: cookies }
}

/** Returns the OpenAPI `servers` of a route that is constrained to a host. Warns of other constraints, which documents cannot express. */
function serversOf(route: RouteDescription, { options, warn }: DocumentContext): readonly OpenApiServer[] | undefined {
  const { host, version: _version, ...others } = route.constraints ?? {}
  // A description has a RegExp as its text.
  const isHost = typeof host === 'string' && !host.startsWith('/')
  for (const name of [...Object.keys(others), ...(host === undefined || isHost ? [] : ['host'])])
    warn('lossy', `${routeLabel(route)}: OpenAPI cannot express its constraint '${name}'. Describe it in the description of the route.`)
  return isHost ? [{ url: `//${host}${options.basePath ?? ''}` }] : undefined
}
