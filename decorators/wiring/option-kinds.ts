/**
 * The kinds of values that the options of decorators may have. A value of a wrong kind is a fault and is left out of the wiring, because it
 * would end in an error of the server, or have no effect.
 */
import type { HttpMethod } from '../../lib/index.js'
import { addableMethods, httpMethods, isObject, MAX_TIMEOUT_MS } from '../../lib/internal.js'
import type { Class } from '../declare/metadata.js'
import type { ImportEntry } from '../declare/imports.js'
import { getPluginOptions, type PluginOptions } from '../declare/plugin.js'
import type { ControllerOptions, RouteClassOptions } from '../declare/route.js'
import { type Fault, fault } from './faults.js'
import { describeValue } from './value-names.js'

/** A kind of value that an option may have, such as lists. */
export interface OptionKind {
  /** The name of the kind in errors: `a list` */
  readonly name: string
  readonly holds: (value: any) => boolean
  /** An example of such a value, as code: `[ … ]` */
  readonly example: string
}

export type Kinds = Readonly<Record<string, OptionKind>>

const list: OptionKind = { name: 'a list', holds: Array.isArray, example: '[ … ]' }
const object: OptionKind = { name: 'an object', holds: isObject, example: '{ … }' }
const functionKind: OptionKind = { name: 'a function', holds: (value) => typeof value === 'function', example: '() => …' }
const flag: OptionKind = { name: 'true or false', holds: (value) => typeof value === 'boolean', example: 'true' }
const text = (example: string): OptionKind => ({ name: 'a text', holds: (value) => typeof value === 'string', example: `'${example}'` })
/**
 * Makes the option kind of whole numbers in a range.
 * @param name the name of the kind in errors
 */
export const wholeNumber = (name: string, from: number, to: number, example: string): OptionKind => ({
  name,
  holds: (value) => Number.isInteger(value) && value >= from && value <= to,
  example,
})

const hooks: OptionKind = {
  name: 'an object of hooks by name',
  holds: (value) => isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value)),
  example: '{ onRequest: … }',
}
// The declarations of a deprecation are checked beside those of `docs`, wherever these may be written.
const deprecated: OptionKind = { name: 'true, false or an object', holds: () => true, example: "{ since: '2026-06-30' }" }
const requestDecorators: OptionKind = {
  name: 'a list of request decorators, nor an object of values by name',
  holds: (value) => typeof value === 'object' && value.kind !== 'request decorator',
  example: '[ … ]',
}

/** The names of the options that may be functions or classes, which ./constructed-classes.ts checks. */
type HandlerName = 'errorHandler' | 'notFoundHandler' | 'schemaErrorFormatter'

const pluginKinds: { readonly [K in Exclude<keyof PluginOptions, HandlerName>]-?: OptionKind } = {
  name: text('Users'),
  prefix: text('/users'),
  imports: list,
  shared: flag,
  requires: list,
  providers: list,
  private: list,
  routes: list,
  jobs: list,
  decorate: object,
  decorateRequest: requestDecorators,
  decorateReply: object,
  schemas: list,
  hooks,
  docs: object,
  deprecated,
  contentTypeParsers: list,
  access: list,
  throws: list,
  errorFormat: { name: "'default' or 'problem'", holds: (value) => ['default', 'problem'].includes(value), example: "'problem'" },
  validatorCompiler: functionKind,
  serializerCompiler: functionKind,
  schemaController: object,
}

const routeKinds: Kinds = {
  path: text('/:id'),
  attachValidation: flag,
  bodyLimit: wholeNumber('a whole number of bytes above 0', 1, Infinity, '1048576'),
  childLoggerFactory: functionKind,
  config: object,
  constraints: object,
  docs: object,
  deprecated,
  exposeHeadRoute: flag,
  handlerTimeout: wholeNumber(`a whole number of milliseconds from 0 to ${MAX_TIMEOUT_MS}`, 0, MAX_TIMEOUT_MS, '60000'),
  logLevel: text('warn'),
  logSerializers: object,
  prefixTrailingSlash: {
    name: "'both', 'slash' or 'no-slash'",
    holds: (value) => ['both', 'slash', 'no-slash'].includes(value),
    example: "'both'",
  },
  serializerCompiler: functionKind,
  throws: list,
  validatorCompiler: functionKind,
}

/** Returns the options without values of a wrong kind. A fault for each such value is added to `found`. */
function usable<O extends object>(options: O, kinds: Kinds, place: string, decorator: string, found: Fault[]): O {
  const wrong = Object.entries(options).filter(
    ([name, value]) => value != null && Object.hasOwn(kinds, name) && !kinds[name]!.holds(value as unknown),
  )
  // Nearly all options have no wrong values, and then nothing is copied.
  if (wrong.length === 0) return options
  for (const [name, value] of wrong) {
    const { name: wanted, example } = kinds[name]!
    found.push(fault('OPTION_INVALID', place, decorator, describeValue(value), name, wanted, `Write ${name}: ${example}.`))
  }
  return Object.fromEntries(Object.entries(options).filter(([name]) => !wrong.some(([other]) => other === name))) as O
}

/**
 * Returns the options of `@Plugin`; `undefined` for a class without `@Plugin`. Values of a wrong kind are left out, and their faults are
 * added to `found`.
 */
export function readPluginOptions(PluginClass: Class, place = '', found: Fault[] = []): PluginOptions | undefined {
  const options = getPluginOptions(PluginClass)
  if (options !== undefined && !isObject(options)) {
    found.push(fault('OPTION_INVALID', place, '@Plugin', describeValue(options), 'its options', 'an object', 'Write @Plugin({ … }).'))
    return {}
  }
  return options && usable(options, pluginKinds, place, '@Plugin', found)
}

/** Returns the prefix that an import gives to a plugin class; `undefined` if it gives none. */
export function readImportPrefix(entry: ImportEntry | undefined, place = '', found: Fault[] = []): string | undefined {
  const { prefix } = (entry?.options ?? {}) as { prefix?: unknown }
  if (prefix == null || typeof prefix === 'string') return prefix ?? undefined
  found.push(fault('OPTION_INVALID', place, 'its import with use', describeValue(prefix), 'prefix', 'a text', "Write prefix: '/users'."))
  return undefined
}

// A plugin function or `setup` may add any method of Node's parser. If none does, the server refuses the route.
const possibleMethods: readonly unknown[] = [...httpMethods, ...addableMethods]

/** Returns the HTTP methods of a route, in capitals. A method that the server cannot handle is a fault. */
export function readMethods(method: unknown, place: string, found: Fault[]): HttpMethod[] {
  const methods = [method].flat().map((each) => (typeof each === 'string' ? each.toUpperCase() : each))
  const known = methods.filter((each): each is HttpMethod => possibleMethods.includes(each))
  if (known.length < methods.length || known.length === 0) {
    const wanted = 'a method of HTTP that the server knows'
    const cure = `Methods are: ${httpMethods.join(', ')}, and those that addHttpMethod adds.`
    found.push(fault('OPTION_INVALID', place, 'the route', describeValue(method), 'method', wanted, cure))
  }
  return known
}

/** Returns the options of a route. Values of a wrong kind are left out, and their faults are added to `found`. */
export function readRouteOptions<O extends RouteClassOptions>(options: O, place: string, found: Fault[]): O {
  if (isObject(options)) return usable(options, routeKinds, place, 'the route', found)
  found.push(
    fault(
      'OPTION_INVALID',
      place,
      'the route',
      describeValue(options),
      'path',
      'a text',
      "Write @Get('/path') above one method for each path.",
    ),
  )
  return {} as O
}

/**
 * Returns the options of `@Controller`, which hold for all routes of the controller. Values of a wrong kind are left out, and their faults
 * are added to `found`.
 */
export function readControllerOptions(options: ControllerOptions, place: string, found: Fault[]): ControllerOptions {
  if (isObject(options)) return usable(options, routeKinds, place, '@Controller', found)
  const cure = "Write options of its routes as @Controller('/users', { … })."
  found.push(fault('OPTION_INVALID', place, '@Controller', describeValue(options), 'its second argument', 'an object', cure))
  return {}
}
