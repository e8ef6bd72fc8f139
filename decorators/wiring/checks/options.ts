/** Finds options and schema keys that have no effect because nothing reads them. */
import {
  findMediaTypeProblems,
  findMisplacedStreams,
  findSchemaKeyProblems,
  isObject,
  nearestName,
  partNames,
  suggestName,
} from '../../../lib/internal.js'
import { classHookNames } from '../../declare/hook.js'
import type { Class } from '../../declare/metadata.js'
import { type Provider, type ProviderScope, providerScopes } from '../../declare/injectable.js'
import { isImportEntry, isInjectedOptions, knownInjectedOptions, knownUseOptions, type PluginImport } from '../../declare/imports.js'
import { knownPluginOptions } from '../../declare/plugin.js'
import { ecosystemRouteOptions, getControllerOptions, knownControllerOptions, knownRouteOptions } from '../../declare/route.js'
import { tokenName } from '../../declare/tokens.js'
import { type Fault, fault } from '../faults.js'
import { isPluginNode, type PluginNode, type RouteNode } from '../nodes.js'
import { describeValue, nameOf } from '../value-names.js'

/** The cures for unknown options, by name: for options of other frameworks or other places, the text says which option to write instead. */
type Cures = Readonly<Record<string, string>>

const pluginCures: Cures = {
  controllers: 'Write routes: [ … ].',
  exports:
    'Import this plugin with shared(…), or write shared: true: the importing plugin then sees what this one declares, but for the providers listed in private.',
  global: 'Provide it in the root plugin: every plugin below sees it.',
  guards: 'Write hooks: { preHandler: … }.',
  interceptors: 'Write hooks: { around: … }.',
  middleware: 'Write hooks: { onRequest: … }.',
  filters: 'Write errorHandler: a function, or a class with a method errorHandler(error, request, reply).',
  pipes: 'Write the schemas of each route in its decorator, @Get(path, schema): they validate and convert.',
  setup: 'Write setup(instance, options) { … } as a method of the class.',
  ...Object.fromEntries(classHookNames.map((name) => [name, `Write hooks: { ${name}: … }.`])),
}
const routeCures: Cures = {
  ...Object.fromEntries(classHookNames.map((name) => [name, `Write @Hook('${name}', …) above it.`])),
  method: 'The decorator says it: for another one write @Action(method, …).',
  url: 'Write path: ….',
  schema: 'Write it after the options: @Get({ path: … }, schema).',
  handler: 'The decorated method is the handler.',
  prefix: 'Write it in @Controller(prefix).',
  version: "Write constraints: { version: '…' }.",
  host: "Write constraints: { host: '…' }.",
  statusCode: 'Write status: ….',
  httpCode: 'Write status: ….',
  ...Object.fromEntries(
    partNames.map((part) => [part, `It is a part of the schema: write it after the options, @Get({ path: … }, { ${part}: … }).`]),
  ),
}

/**
 * Returns a fault for each option that is neither known nor read by a plugin.
 * @param isRead whether a plugin reads an unknown option
 */
export function findUnknown(
  place: string,
  decorator: string,
  options: object,
  known: readonly string[],
  cures: Cures = {},
  isRead?: (option: string) => boolean,
): Fault[] {
  const unknown = Object.keys(options).filter((option) => !known.includes(option) && isRead?.(option) !== true)
  return unknown.map((option) => fault('UNKNOWN_OPTION', place, decorator, option, cureFor(option, known, cures)))
}

function cureFor(option: string, known: readonly string[], cures: Cures): string {
  if (Object.hasOwn(cures, option)) return cures[option]!
  return suggestName(option, known, `Its options are: ${known.join(', ')}.`)
}

/**
 * Returns the faults of the options of `@Plugin`, `use`, providers and routes, and of the schemas of routes. `isMountedAlone`: whether the
 * root is mounted for a test. In this case an option of a route may be read by a plugin that a missing ancestor imports.
 */
export function findUnknownOptions(plugins: readonly PluginNode[], isMountedAlone: boolean): Fault[] {
  const imported = plugins.flatMap((plugin) => plugin.imports)
  const ofPlugins = new Set([...ecosystemRouteOptions, ...imported.flatMap((entry) => (isPluginNode(entry) ? [] : entry.routeOptions))])
  const mayBeRead = (option: string, known: readonly string[]): boolean =>
    ofPlugins.has(option) || (isMountedAlone && !Object.hasOwn(routeCures, option) && nearestName(option, known) === undefined)
  const found: Fault[] = []
  for (const plugin of plugins) {
    const { path, options, routes } = plugin
    found.push(...findUnknown(path, '@Plugin', options, knownPluginOptions, pluginCures))
    for (const entry of options.imports ?? []) found.push(...findUnknownInImport(entry, plugin))
    for (const parser of options.contentTypeParsers ?? [])
      if (isObject(parser)) found.push(...findUnknown(path, 'a parser in contentTypeParsers', parser, parserOptions))
    for (const provider of options.providers ?? []) if (isNoClass(provider)) found.push(...findUnknownInProvider(provider, plugin))
    for (const entry of options.routes ?? []) found.push(...findUnknownInController(entry, plugin, mayBeRead))
    for (const route of routes) found.push(...findUnknownInRoute(route, mayBeRead), ...findUnknownParts(route))
  }
  return found
}

/** A function that returns whether a plugin reads an option of a route, or may read it because the plugins above are missing. */
type MayBeRead = (option: string, known: readonly string[]) => boolean

/** Returns the faults of an import's options in the third argument of `use` or `optionsFrom`. */
function findUnknownInImport(entry: PluginImport, { path }: PluginNode): Fault[] {
  if (!isImportEntry(entry)) return []
  const name = nameOf(entry.plugin)
  const place = `use(${name}, …)`
  const { more = [] } = entry
  const unknown = findUnknown(path, place, entry.known, knownUseOptions, {})
  if (more.length > 0) {
    const cure = `Write shared(use(${name}, …)).`
    unknown.push(fault('OPTION_INVALID', path, `shared(${name}, …)`, describeValue(more[0]), 'a second argument', 'taken', cure))
  }
  if (!isInjectedOptions(entry.options)) return unknown
  const { kind: _kind, inject: _inject, make: _make, ...own } = entry.options
  return [...unknown, ...findUnknown(path, `optionsFrom(…) of ${place}`, own, knownInjectedOptions, {})]
}

const parserOptions: readonly string[] = ['type', 'parse', 'parseAs', 'bodyLimit']

/** The keys that a provider may have, by the key that defines its value (such as `useFactory`). */
export const providerOptions = {
  useClass: ['provide', 'useClass', 'scope'],
  useValue: ['provide', 'useValue'],
  useExisting: ['provide', 'useExisting'],
  useFactory: ['provide', 'useFactory', 'inject', 'scope', 'owned'],
}
const providerCures: Cures = { inject: 'Write static inject = [/* its tokens */] as const in the class.' }

function isNoClass(provider: Provider): provider is Exclude<Provider, Class> {
  return provider !== null && typeof provider === 'object'
}

// An entry of an unknown kind is reported as a whole, with its provider.
function findUnknownInProvider(provider: Exclude<Provider, Class>, { path }: PluginNode): Fault[] {
  const kind = (Object.keys(providerOptions) as (keyof typeof providerOptions)[]).find((key) => key in provider)
  if (kind === undefined) return []
  const name = `the provider of ${tokenName(provider.provide)}`
  return [
    ...findUnknown(path, name, provider, providerOptions[kind], kind === 'useClass' ? providerCures : {}),
    ...findUnknownScope(path, provider, name),
  ]
}

/** Returns the faults of the options of `@Injectable`. */
export function findUnknownInInjectable(place: () => string, options: { readonly scope?: ProviderScope }): Fault[] {
  if (typeof options !== 'object')
    return [
      fault(
        'OPTION_INVALID',
        place(),
        '@Injectable',
        describeValue(options),
        'its options',
        'an object',
        "Write @Injectable({ scope: 'request' }).",
      ),
    ]
  const { scope, ...others } = options
  // Most classes have no other option, and an application may have thousands of classes.
  if (providerScopes.includes(scope ?? 'context') && Object.keys(others).length === 0) return []
  return [...findUnknown(place(), '@Injectable', options, ['scope'], {}), ...findUnknownScope(place(), options)]
}

function findUnknownScope(place: string, options: object, provider?: string): Fault[] {
  const { scope = 'context' } = options as { scope?: unknown }
  const isKnown = (providerScopes as readonly unknown[]).includes(scope)
  return isKnown ? [] : [fault('UNKNOWN_SCOPE', place, typeof scope === 'string' ? `'${scope}'` : String(scope), providerScopes, provider)]
}

const controllerCures: Cures = {
  ...routeCures,
  path: 'The first argument is the prefix; a path stands in @Get(), @Post() ….',
  prefix: 'The first argument is the prefix.',
  status: 'Write it in @Get(), @Post() ….',
}

function findUnknownInController(entry: unknown, { path }: PluginNode, mayBeRead: MayBeRead): Fault[] {
  if (typeof entry !== 'function') return []
  const shared: unknown = getControllerOptions(entry)
  if (shared === null || typeof shared !== 'object') return []
  const isRead = (option: string): boolean => mayBeRead(option, knownControllerOptions)
  return findUnknown(`${path} > ${nameOf(entry)}`, '@Controller', shared, knownControllerOptions, controllerCures, isRead)
}

function findUnknownInRoute({ Class, path, options }: RouteNode, mayBeRead: MayBeRead): Fault[] {
  // Options of the controller are reported once, at the place of the controller.
  const isRead = (option: string): boolean => Object.hasOwn(getControllerOptions(Class), option) || mayBeRead(option, knownRouteOptions)
  return findUnknown(path, 'the route', options, knownRouteOptions, routeCures, isRead)
}

function findUnknownParts({ path, schema = {} }: RouteNode): Fault[] {
  return [
    ...findSchemaKeyProblems(schema).map(({ key, kind, meant }) =>
      kind === 'undefined' ? fault('SCHEMA_PART_UNDEFINED', path, key) : fault('SCHEMA_PART_UNKNOWN', path, key, meant),
    ),
    ...findMediaTypeProblems(schema).map(({ part, key }) => fault('MEDIA_TYPE_INVALID', path, part, key)),
    ...findMisplacedStreams(schema).map(({ part, cure }) => fault('STREAM_MISPLACED', path, part, cure)),
  ]
}
