/** `clientFile`: a client of an application as one TypeScript file without imports. */
import type { ApplicationDescription, RouteDescription, Server, ServerOptions } from '../../../lib/index.js'
import { assertKnownOptions, findOwn, readFileSync, textOfDeprecation } from '../../../lib/internal.js'
import type { Class } from '../../declare/metadata.js'
import { describe, withoutSlashTwins } from '../describe.js'
import { Components } from '../openapi/components.js'
import { nameConstants, type NamedRoute, nameRoutes } from './client-names.js'
import { errorGuard } from './error-guard.js'
import { entryOf, hasStream, takesForm } from './entries.js'
import { DateFinder, dateReader } from './dates.js'
import { replyDates, partsType, readTypes, repliesType, type RouteTypes } from './route-types.js'
import { SchemaTypes } from './schema-types.js'
import { block, docComment, literal, propertyName } from './type-texts.js'

/** The options of {@link clientFile}. */
export interface ClientFileOptions {
  /**
   * A function that returns whether the client has a route, for instance to select the routes of one version. Default: all routes that are
   * not hidden.
   */
  readonly include?: (route: RouteDescription) => boolean
  /**
   * Whether the client makes a `Date` of each received property for which the schema of the reply has the format `date-time`. Default
   * false: such properties are texts.
   */
  readonly dates?: boolean
  /**
   * Whether the file exports `queries` and `mutations`, which return the options of TanStack Query for each route. The file does not import
   * TanStack Query. Default false.
   */
  readonly tanstack?: boolean
  /**
   * Whether the file exports the function `handlers`, which makes handlers of MSW (`msw`, version 2) for the routes. The file does not
   * import MSW. Default false.
   */
  readonly msw?: boolean
}

/**
 * Writes a client of a plugin class or of a server that is ready: a TypeScript file that imports nothing, for browsers and other services.
 * ```ts
 * await writeFile('client.ts', clientFile(App))
 * ```
 * The file exports `createClient`, whose result has a function for each route, grouped by controller, and the types of all schemas that
 * these functions refer to:
 * ```ts
 * const api = createClient({ baseUrl: 'https://api.example.com' })
 * const reply = await api.users.find({ params: { id: 7 } })
 * if (reply.status === 200) console.log(reply.body.name)
 * ```
 * A client is made of the same description as the document of {@link openapi}, so the type of a reply is a union of all replies of the
 * route, its guards, its error handlers and the framework.
 * @param serverOptions for a class: the options that `bootstrap` gets
 * @throws WiringError if the wiring of a class is wrong; TypeError for an option that does not exist, if two routes would become the same function, or, with `dates`, if a
 * property is a date in one alternative of a reply and may be a different text in another
 */
export function clientFile(source: Class | Server, options: ClientFileOptions = {}, serverOptions?: ServerOptions): string {
  assertKnownOptions('clientFile(…)', options, ['include', 'dates', 'tanstack', 'msw'])
  return writeClientFile(describe(source, serverOptions), options)
}

export function writeClientFile(description: ApplicationDescription, options: ClientFileOptions): string {
  const routes = nameRoutes(withoutSlashTwins(description.routes).filter((route) => isInClient(route, options)))
  const runtime = readModule('runtime')
  // The file contains only the modules that its routes need.
  const others = [
    ...(routes.some(({ route }) => hasStream(route)) ? ['streams'] : []),
    ...(routes.some(({ route }) => takesForm(route)) ? ['forms'] : []),
    ...(options.tanstack === true ? ['queries'] : []),
    ...(options.msw === true ? ['mocks'] : []),
  ].map(readModule)
  // The warnings of components are about documents, not about clients.
  const components = new Components(() => {})
  const described = routes.map((named) => readTypes(named, { components, description }))
  const types = new SchemaTypes(components.schemas, reservedNames([runtime, ...others].join('')), options.dates)
  const api = interfaceOf(described, types)
  const guard = errorGuard(routes, { components, description }, types)
  const declarations = types.declarations()
  const dates = options.dates === true ? new DateFinder(components.schemas) : undefined
  const constants = nameConstants(routes, [runtime, ...others].join(''))
  const entries = described.map((route, index) => declareEntry(route, constants[index]!, dates))
  const table = inGroups(
    routes.map(({ group, name }, index) => ({ group, text: `${propertyName(name)}: ${constants[index]}` })),
    ',',
  )
  return [
    `// The client of ${description.name}, written by \`alcove client\`. Do not change it: write it again.\n/* eslint-disable */\n`,
    `${docComment([`The routes of ${description.name}.`])}export interface Api ${api}\n`,
    ...declarations.map((text) => `${text}\n`),
    `/** Makes a client: \`createClient({ baseUrl: 'https://example.com' })\`. */\nexport function createClient(options: ClientOptions): Api {\n  return bindRoutes<object>(routes, options) as Api\n}\n`,
    ...entries,
    `const routes = ${table}\n`,
    ...(options.msw === true ? [mockFunction] : []),
    dates === undefined ? runtime : insertDates(runtime, dates),
    ...others,
    guard,
  ].join('\n')
}

/** The code of the function `handlers` in a client file, which makes handlers of MSW. */
const mockFunction = `/**
 * Makes handlers of MSW: \`setupServer(handlers(http, { baseUrl }).users.find(({ params }) => ({ status: 200, body: { id: 7 } })))\`, with
 * \`http\` of msw.
 */
export function handlers<Handler>(http: MswHttp<Handler>, options: Pick<ClientOptions, 'baseUrl'> = {}): Mocks<Api, Handler> {
  return mockRoutes(routes, http, options)
}
`

/** Returns the code of the client module `runtime`, changed so that the client makes a `Date` of each date in a received JSON body. */
function insertDates(runtime: string, dates: DateFinder): string {
  return `${runtime.replace('JSON.parse(text)', 'readDates(JSON.parse(text), route, status)')}${dateReader(dates.ofComponents())}`
}

function isInClient(route: RouteDescription, { include }: ClientFileOptions): boolean {
  if (route.isAutomatic || route.docs.hide === true) return false
  return include === undefined || include(route)
}

/** Returns the TypeScript type of the client object: functions, and groups of functions. */
function interfaceOf(routes: readonly RouteTypes[], types: SchemaTypes): string {
  return inGroups(
    routes.map((route) => {
      const type = `${propertyName(route.named.name)}: RouteFunction<${partsType(route, types)}, ${repliesType(route, types)}>`
      return { group: route.named.group, text: commentOf(route.named) + type }
    }),
  )
}

/**
 * Returns the code of the constant of a route. Each route has a constant because bundlers drop unused constants, but cannot drop members of
 * an object.
 */
function declareEntry(types: RouteTypes, constant: string, finder: DateFinder | undefined): string {
  const { route, method, group, name } = types.named
  const dates = finder && replyDates(types, finder)
  const data = literal({ ...entryOf(route, method), ...(dates && { dates }) })
  const code = [...(takesForm(route) ? ['form: toForm'] : []), ...(hasStream(route) ? ['stream: readEvents'] : [])]
  const type = [...(group === undefined ? [] : [group]), name].map((key) => `[${literal(key)}]`).join('')
  return `export const ${constant}: RouteEntry<Api${type}> = ${[data.slice(0, -2), ...code].join(', ')} }\n`
}

/** A member of the client object: a function, or a group of functions. */
interface Grouped {
  readonly group: string | undefined
  readonly text: string
}

/**
 * Returns the text of an object type or object literal with these members: first the members without a group, then a nested object for each
 * group.
 */
function inGroups(members: readonly Grouped[], separator = ''): string {
  const groups = new Map<string | undefined, string[]>([[undefined, []]])
  for (const { group, text } of members) groups.set(group, [...(groups.get(group) ?? []), text])
  const texts = [...groups].flatMap(([group, own]) => (group === undefined ? own : `${propertyName(group)}: ${block(own, separator)}`))
  return block(texts, separator)
}

function commentOf({ route, method }: NamedRoute): string {
  const { docs, security, url, deprecated, deprecation } = route
  const schemes = security.map((requirement) => Object.keys(requirement).join(' and ')).join(' or ')
  const texts = [docs.summary, docs.description, `${method} ${url}${schemes === '' ? '' : ` (${schemes})`}`, ...conditionsOf(route)]
  return docComment(texts, deprecation === undefined ? deprecated : textOfDeprecation(deprecation))
}

/**
 * Returns sentences about the constraints of a route that a client cannot fulfil in a call. `fetch`, for instance, always sends the host of
 * the URL.
 */
function conditionsOf({ constraints = {} }: RouteDescription): string[] {
  return Object.entries(constraints).flatMap(([name, value]) => {
    if (name === 'version' && typeof value === 'string') return []
    if (name === 'host') return [`Only at the host ${String(value)}: make a client whose baseUrl has it.`]
    return [`Only for requests with the constraint ${name} ${String(value)}: send what it is read from.`]
  })
}

/** Returns the source code of a module of `decorators/client`, to be copied into the client file. */
function readModule(name: string): string {
  const path = findOwn(`decorators/client/${name}.ts`)
  if (path === undefined) throw new Error('clientFile needs the installed package of alcove, not a bundle of it.')
  const text = readFileSync(path, 'utf8')
  return name === 'queries' ? withoutHead(text) : asPrivate(text)
}

/** Returns the code of a module without its head comment and its imports, because the client file has the imported names already. */
function withoutHead(module: string): string {
  return module.replace(/^\/\*\*[^]*?\*\/\n(?:import .*\n)*/, '')
}

/** Returns the code of a module that exports only the names that users of a client need: types, `ReplyError` and `bindRoutes`. */
function asPrivate(module: string): string {
  return withoutHead(module).replaceAll(/^export (?=(?:async )?function (?!bindRoutes))/gm, '')
}

/**
 * Returns the names that types of a client file must not have, because TypeScript or the code of the file uses them. Names of type
 * parameters are allowed, because they hide no types outside of their declarations.
 */
function reservedNames(runtime: string): ReadonlySet<string> {
  const code = runtime.replaceAll(/\/\*[^]*?\*\/|\/\/ .*|'[^'\n]*'|(?<=[(=!|&?:] ?)\/[^/\n].*?\/(?=[.,g])/g, '')
  const lists = [...code.matchAll(/(?:interface|type) \w+<([^>]*)|\b(infer \w+)/g)].map(([, list, inferred]) => list ?? inferred!)
  const parameters = new Set(lists.flatMap((list) => [...list.matchAll(/(?:^|, |infer )([A-Z]\w*)/g)].map(([, name]) => name!)))
  const used = (code.match(/\b[A-Z]\w*/g) ?? []).filter((name) => !parameters.has(name))
  return new Set(['Api', 'Date', 'Dates', 'FormData', 'URLSearchParams', 'Blob', ...used])
}
