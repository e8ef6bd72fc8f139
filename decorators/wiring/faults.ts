/**
 * A fault in the wiring of an application. All faults are collected and thrown together, as one {@link WiringError}. The texts name the
 * fault, its place (the path of the context) and what to write instead.
 */
export interface Fault {
  /** The kind of fault: `PROVIDER_NOT_VISIBLE`. docs/reference/errors.md lists all kinds. */
  readonly code: FaultCode
  /** The fault, its place and what to write instead. */
  readonly message: string
}

const list = (names: readonly string[]): string => names.join(', ')

/** Every kind of fault, with its text. */
export const faults = {
  NOT_A_PLUGIN: (given: string, path: string, cure?: string) =>
    `${path} imports ${given}, which is not a plugin. ${cure ?? `Write @Plugin({ … }) above the class, or import a plugin function with use(${given}).`}`,
  APPLICATION_NOT_A_PLUGIN: (given: string) =>
    `${given} is not a plugin, so it cannot be the application. Write @Plugin({ … }) above the class.`,
  PLUGIN_OF_OTHER_COPY: (place: string, given: string, copy: string) =>
    `${place} ${given} a plugin of another copy of alcove, in ${copy}. Use one copy for the whole application: npm ls alcove shows where each comes from.`,
  ENTRY_INVALID: (path: string, option: string, given: string, cure: string) => `${path} lists ${given} in ${option}. ${cure}`,
  IMPORT_CIRCLE: (path: readonly string[]) =>
    `${path[0]} imports itself: ${path.join(' > ')}. Move what both need into a plugin that each of them imports.`,
  NOT_A_ROUTE: (given: string, path: string, isPlugin = false) =>
    `${path} lists ${given} among its routes, but it is neither a route nor a controller. ` +
    (isPlugin
      ? `It is a plugin: list it in imports.`
      : `Write @Route({ method, path }) above a class with handle(), or @Controller() above one with @Get() methods.`),
  ROUTE_WITHOUT_HANDLE: (name: string, path: string) =>
    `${path} > ${name} has no method handle(request, reply). A class with @Route answers its requests there.`,
  CONTROLLER_WITHOUT_ROUTES: (name: string, path: string) =>
    `${path} > ${name} is a controller without routes. Write @Get(), @Post() … above its methods.`,
  CONTROLLER_PREFIX_INVALID: (path: string) =>
    `${path} has @Controller with a prefix that is not a string. Write @Controller('/users'), with options for all its routes as the second argument: @Controller('/users', { … }). Those of one route stand in @Get(), @Post() ….`,
  OPTION_INVALID: (place: string, decorator: string, given: string, option: string, wanted: string, cure: string) =>
    `${place}: ${decorator} has ${given} as ${option}, which is not ${wanted}. ${cure}`,
  UNKNOWN_OPTION: (place: string, decorator: string, option: string, cure: string) =>
    `${place}: ${decorator} has no option '${option}'. ${cure}`,
  SCHEMA_PART_UNKNOWN: (place: string, part: string, meant: string | undefined) =>
    `${place} has a schema for '${part}', which is not a part of requests or replies, so it would have no effect. ` +
    (meant === undefined
      ? `Parts are: body, params, querystring, headers, response. Write other keys in @Config, or give them names that begin with x-.`
      : `Did you mean '${meant}'?`),
  SCHEMA_PART_UNDEFINED: (place: string, part: string) =>
    `${place} has undefined as the schema of ${part}, often because of a circle of imports. Declare the schema before the class, or leave the part out.`,
  STREAM_MISPLACED: (place: string, part: string, cure: string) => `${place} has stream(…) in ${part}, where it has no effect. ${cure}`,
  UNKNOWN_SCOPE: (place: string, scope: string, known: readonly string[]) =>
    `${place} has the scope ${scope}, which does not exist. Scopes are: ${list(known)}.`,
  DECORATOR_UNREAD: (place: string, decorator: string, reason: string, right: string) =>
    `${place} has ${decorator}, which has no effect there: ${reason}. It stands ${right}.`,
  DECORATOR_UNDEFINED: (place: string, decorator: string, given = 'undefined') =>
    `${place} has ${decorator} with ${given}, often because of a circle of imports. Declare what it names before the class.`,
  SCHEMAS_INVALID: (place: string, given: string) =>
    `${place} has ${given} as its schemas, which is not an object of parts, so nothing would be validated. Write { body: …, params: …, querystring: …, headers: …, response: … }.`,
  DECORATOR_REPEATED: (place: string, decorator: string, cure: string) =>
    `${place} has ${decorator} more than once, but only one counts. ${cure}`,
  DECORATOR_UNFINDABLE: (place: string, decorator: string, owner: string) =>
    `${place} has ${decorator}, but providersWith would not find it: each ${owner} has an instance of its own. Write ${decorator} in a class that lives as long as its context.`,
  HOOK_OF_APPLICATION: (hook: string, place: string) =>
    `${place} has @Hook('${hook}', …), but ${hook} is a hook of the application, not of requests. In a plugin class write @Hook('${hook}') on a method, or list the function in hooks: { ${hook}: … }.`,
  UNKNOWN_HOOK: (name: string, place: string, known: readonly string[]) =>
    `${place} names the hook '${name}', which does not exist. Hooks are: ${list(known)}.`,
  HOOK_CLASS_WITHOUT_METHOD: (className: string, hook: string, place: string) =>
    `${place} runs ${className} as ${hook} hook, but the class has no method ${hook}(request, ${hook === 'around' ? 'next' : 'reply'}). Name the method after the hook.`,
  HANDLER_INVALID: (place: string, option: string, given: string, name: string, signature: string) =>
    `${place} has ${given} as ${name === option ? option : `${name} of ${option}`}. Write a function, or a class with a method ${signature}.`,
  HANDLER_CLASS_WITHOUT_METHOD: (className: string, option: string, signature: string, place: string) =>
    `${place} names ${className} in ${option}, but the class has no method ${signature}. Give its method this name.`,
  FORMATTER_INVALID: (className: string, place: string, reason: string) =>
    `${place} has ${className} as schemaErrorFormatter, but ${reason}. Return the error at once, from what lives as long as the context; do the rest in an errorHandler, where error.validation has the same details.`,
  HOOK_WITHOUT_FUNCTION: (hook: string, place: string) =>
    `${place} has @Hook('${hook}') without a function. Write the function or class to run: @Hook('${hook}', …). Only in a plugin class does @Hook turn the method itself into a hook.`,
  HOOK_ASYNC_WITH_DONE: (hook: string, label: string) =>
    `The ${hook} hook ${label} is async and also takes done, so nothing says when it is over. Remove async or done.`,
  HOOK_NOT_A_METHOD: (hook: string, path: string) =>
    `${path} has @Hook('${hook}', …) with a function, which is for routes and controllers. In a plugin class write @Hook('${hook}') on a method, or list the function in hooks: { ${hook}: … }.`,
  CONTRACT_INVALID: (place: string, problem: string) => `${place} ${problem}${problem.endsWith('?') ? '' : '.'}`,
  RESPONSE_CONTRADICTED: (place: string, from: string, status: string, mediaType: string, own: string) =>
    `${from} declares the response ${status} (${mediaType}) with another schema than ${place} has for ${own}, by which its replies are serialized. Write the same schema in both, or leave it out of the route.`,
  RESPONSE_SCHEMA_HIDDEN: (from: string, place: string, id: string, elsewhere: readonly string[]) =>
    `A declared response of ${from} refers to the schema '${id}', which ${place} does not see. It is declared in ${list(elsewhere)}. Declare it in an ancestor, or share that plugin.`,
  SECURITY_SCHEME_AMBIGUOUS: (name: string, first: string, second: string) =>
    `The security scheme '${name}' is declared by ${first}, and with other values by ${second}. Write the same scheme in both, or give one of them another name.`,
  SCHEMA_WITHOUT_ID: (name: string, path: string, cure: string) => `${path} lists ${name} among its schemas, but it has no $id. ${cure}`,
  SCHEMA_ID_REPEATED: (name: string, path: string, id: string, other: string, place: string) =>
    `${path} lists ${name} among its schemas, but its $id '${id}' is that of ${other}, which ${place} lists already. Give one of them another $id, or keep one of the entries.`,
  MODEL_HAS_TWO_SCHEMAS: (name: string, path: string) =>
    `${path} > ${name} extends Model(…), and has @Schema with another schema. Keep one of them.`,
  REFERENCE_INVALID: (place: string, problem: string) => `${place} refers to ${problem}`,
  SCHEMA_NOT_VISIBLE: (place: string, id: string, elsewhere: readonly string[]) =>
    `${place} refers to the schema '${id}', which is not visible there. It is declared in ${list(elsewhere)}. Declare it in an ancestor, or share that plugin.`,
  SCHEMA_NOT_LISTED: (place: string, name: string, plugin: string) =>
    `${place} refers to the class ${name}, which no plugin lists in schemas. Write schemas: [${name}] in ${plugin} or in an ancestor.`,
  BODY_SCHEMA_ON_BODYLESS_METHOD: (place: string, method: string) =>
    `${place} has a body schema, but bodies of ${method} requests are not validated. Use POST, PUT or PATCH, or leave out the schema.`,
  STATUS_INVALID: (place: string, status: string) =>
    `${place} has the status ${status}, but a reply has a whole number from 200 to 599. Correct it, or leave it out for 200.`,
  PARAMETER_REPEATED: (place: string, name: string, path: string) =>
    `${place} has the parameter '${name}' twice in its path ${path}, but a request has only the value of the last. Give one of them another name.`,
  NOT_FOUND_HANDLER_REPEATED: (path: string, prefix: string, other: string) =>
    `${path} has a notFoundHandler for the prefix '${prefix}', for which ${other} has one. Keep one of them, or give the plugin a prefix of its own.`,
  ERROR_FORMATS_DIFFER: (path: string, format: string, other: string, otherFormat: string) =>
    `${path} has errors: '${format}', but ${other}, which declares in the same context, has errors: '${otherFormat}'. Keep one of them.`,
  LIFECYCLE_METHOD_UNKNOWN: (place: string, method: string, known: string) =>
    `${place} has the method ${method}, which NestJS calls and alcove does not. Name it ${known}, or write ${known} beside it.`,
  PARAMETER_NOT_IN_PATH: (place: string, names: readonly string[], path: string) =>
    `${place} requires ${list(names.map((name) => `'${name}'`))} in the schema of params, but its path ${path} has no such parameter: every request would get 400. Write it in the path (:${names[0]}) or in a prefix, or leave it out of required.`,
  DUPLICATE_ROUTE: (method: string, url: string, first: string, second: string) =>
    `${method} ${url} is declared twice: by ${first} and by ${second}. Give one of them another path, or constraints.`,
  OPERATION_ID_REPEATED: (id: string, first: string, second: string) =>
    `Two operations have the operationId '${id}': ${first} and ${second}. Name one of them with @Schema({ operationId: '…' }), or all of them with the option operationId of the document.`,
  PLUGIN_IMPORTED_TWICE: (plugin: string, importers: readonly string[], route: string, common: string | undefined) =>
    (importers.length === 1 ? `${importers[0]} imports ${plugin} twice` : `${importers.join(' and ')} each import ${plugin}`) +
    `: it has two instances, and both declare ${route}. ` +
    (importers.length === 1
      ? `Keep one of these imports, or give them different prefixes with use(${plugin}, { prefix }).`
      : common === undefined
        ? `Give these imports different prefixes with use(${plugin}, { prefix }).`
        : `Import shared(${plugin}) in ${common}: that one instance then serves both, and their own imports may stay. For two instances, give the imports different prefixes with use(${plugin}, { prefix }).`),
  DUPLICATE_DECORATOR: (kind: string, name: string, path: string, other: string) =>
    `${path} adds the ${kind} decorator '${name}', but it already sees one of that name, added by ${other}. Give one of them another name.`,
  REQUIREMENT_NOT_MET: (name: string, path: string, elsewhere: readonly string[]) =>
    `${path} requires the request decorator '${name}', which is not visible there. ` +
    (elsewhere.length > 0
      ? `It is added in ${list(elsewhere)}. Add it in an ancestor, or share that plugin.`
      : `Add it to decorateRequest of an ancestor.`),
  DECORATES_UNTRUE: (name: string, path: string) =>
    `${path} imports a plugin with use(…, { decorates }), which lists the request decorator '${name}', but the plugin does not add it. Correct the list.`,
  DECORATES_NOT_SHARED: (names: readonly string[], plugin: string, path: string) =>
    `${path} imports ${plugin} with use(…, { decorates }), but this plugin function declares in a context of its own: routes of ${path} would not see ${list(names.map((name) => `'${name}'`))}. Write shared(use(${plugin}, …)), or wrap the function with fastify-plugin.`,
  DECORATES_OF_CLASS: (plugin: string, path: string) =>
    `${path} imports ${plugin} with use(…, { decorates }), which is for plugin functions. Import the class with shared(…): routes of ${path} then see its request decorators.`,
  SETUP_OUTSIDE_PREFIX: (path: string, route: string, prefix: string) =>
    `The setup of ${path} adds ${route}, without the prefix ${prefix} of the plugin: in a context that the plugin does not own, only the classes in \`routes\` get it. Write the prefix in the path, or list a route class.`,
  PREFIX_COMPUTED: (path: string, plugin: string) =>
    `${path} imports ${plugin} with optionsFrom, which returned a prefix. The paths of routes are proved before anything is constructed, so a prefix cannot be computed. Write it as the third argument: optionsFrom([…], make, { prefix }).`,
  PROVIDER_NOT_VISIBLE: (consumer: string, token: string, plugin: string, elsewhere: readonly string[]) =>
    `${consumer} asks for ${token}, which is not visible there. It is provided in ${list(elsewhere)}. Provide it in ${plugin} or an ancestor, or share that plugin.`,
  PROVIDER_UNKNOWN: (consumer: string, token: string, plugin: string) =>
    `${consumer} asks for ${token}, which no plugin provides. Add it to the providers of ${plugin} or of an ancestor.`,
  PROVIDER_AMBIGUOUS: (token: string, path: string, places: readonly string[]) =>
    new Set(places).size === 1
      ? `${token} is provided twice in ${path}: ${places[0]} lists it twice. Keep one of the entries, or give the other its own token.`
      : `${token} is provided more than once in ${path}: by ${list(places)}. Keep one of them, give the other its own token, or list it in private of a shared plugin that alone needs it.`,
  PROVIDER_PRIVATE: (consumer: string, token: string, owners: readonly string[]) =>
    `${consumer} asks for ${token}, which is private to ${list(owners)}. Remove it from private there, or ask for another provider of that plugin.`,
  PRIVATE_NOT_PROVIDED: (token: string, path: string) =>
    `${path} lists ${token} in private, but not among its providers. Add it to providers, or remove it from private.`,
  PROVIDER_INVALID: (given: string, path: string) =>
    `${path} lists ${given} among its providers. A provider is a class, or { provide, useClass | useValue | useFactory | useExisting }.`,
  PROVIDER_BUILT_IN: (token: string, path: string) =>
    `${path} provides ${token}, which is built in, so the provider would have no effect. Remove it, or give it a token of its own.`,
  PROVIDER_SOURCE_INVALID: (
    token: string,
    path: string,
    key: string,
    given: string,
    wanted: string,
    other = 'useValue for the value itself',
  ) => `The provider of ${token} (in ${path}) has ${given} as ${key}, which is not ${wanted}. Write ${wanted} there, or ${other}.`,
  INJECT_INVALID: (consumer: string, path: string, index: number, given: string) =>
    `Entry ${index + 1} of the tokens that ${consumer} (in ${path}) injects is ${given}, which is not a token. Write a class, a token made by token('NAME'), a symbol or a string.`,
  INJECT_UNDEFINED: (consumer: string, path: string, index: number) =>
    `Entry ${index + 1} of the tokens that ${consumer} (in ${path}) injects is undefined, often because its class is declared further down, or because of a circle of imports. Declare it first; in a circle, move what both modules need into a third one.`,
  PROVIDE_UNUSED: (name: string, path: string) =>
    `${path} provides ${name} itself, so \`provide\` would have no effect. To replace a provider of the mounted plugin, use \`override\`.`,
  CIRCULAR_DEPENDENCY: (path: readonly string[]) =>
    `Circular dependency: ${path.join(' -> ')}. Let one of them take what it needs as an argument, or move the shared part into a third provider.`,
  CAPTIVE_REQUEST_SCOPE: (consumer: string, owner: string, dependency: string, isProvider = true) =>
    `${consumer} lives as long as ${owner} but depends on request-scoped ${dependency}. ` +
    (isProvider
      ? `Make ${consumer} request-scoped too ({ scope: 'request' }), or pass the value to its methods.`
      : `It is made once at boot, so it can only depend on what lives as long as ${owner}.`),
  LIFECYCLE_METHOD_UNCALLED: (consumer: string, method: string) =>
    `${consumer} has ${method}(), which would never be called: each request has an instance of its own. Move it to a provider that lives as long as its context.`,
  OVERRIDE_UNUSED: (name: string, path: string) =>
    `Nothing to override: in ${path}, ${name} is neither a provider nor a request decorator, a hook class, a class in the place of an error handler, not-found handler, formatter or parser, or an imported plugin. To supply something that an ancestor provides, use \`provide\`.`,
  OVERRIDE_OF_MOUNTED: (name: string) =>
    `${name} is the mounted plugin, which \`override\` does not replace. Mount its substitute: testServer(Substitute).`,
  SUBSTITUTE_WITHOUT_METHOD: (given: string, className: string, place: string, method: string) =>
    `${given} takes the place of ${className}, whose method ${method} ${place} calls, but has no such method. Write it in the class, or pass an object that has it.`,
  SUBSTITUTE_NOT_A_PLUGIN: (name: string, path: string, given: string, isClass: boolean) =>
    `${path} imports ${name}, which ${given} cannot replace. ` +
    (isClass ? 'Write a class with @Plugin() instead of it.' : 'Write a plugin function instead of it.'),
  NO_CONSTRUCTOR_TYPES: (className: string, path: string, count: number) =>
    `${className} (in ${path}) has ${count === 1 ? 'a constructor argument, but its type is' : `${count} constructor arguments, but their types are`} not known at run time. ` +
    `Write static inject = [/* its tokens */] as const in the class; or put a decorator on it (@Injectable()) and compile with tsc and emitDecoratorMetadata (tsx and esbuild emit no types).`,
  UNKNOWN_CONSTRUCTOR_TYPE: (className: string, path: string, index: number, type: string) =>
    `Argument ${index + 1} of ${className} (in ${path}) has no token: at run time its type is ${type}. Interfaces, unions, primitive types and \`import type\` do not identify a provider; write static inject = [/* its tokens */] as const.`,
  CLASS_USED_BEFORE_DECLARATION: (className: string, path: string, index: number) =>
    `Argument ${index + 1} of ${className} (in ${path}) was undefined when the class was decorated: its class is declared further down, or in a circle of imports. Declare it first; in a circle, move what both modules need into a third one.`,
  INJECT_COUNT: (consumer: string, path: string, listed: number, taken: number, isFactory = false) =>
    `${consumer} (in ${path}) lists ${listed} ${listed === 1 ? 'token' : 'tokens'} in ${isFactory ? 'inject' : 'static inject'}, but its ${isFactory ? 'useFactory' : 'constructor'} takes ${taken} ${taken === 1 ? 'argument' : 'arguments'}. List one for each argument: optional(…) for one that may be missing.`,
} as const

export type FaultCode = keyof typeof faults

/** Creates a fault of a kind, with its text. */
export function fault<C extends FaultCode>(code: C, ...args: Parameters<(typeof faults)[C]>): Fault {
  return { code, message: (faults[code] as (...args: unknown[]) => string)(...args) }
}

/**
 * The wiring of an application is wrong. `check`, `bootstrap` and `testServer` throw it before anything is constructed. One fault is found
 * only at boot: a plugin function that does not add the decorators that `use` lists for it.
 */
export class WiringError extends Error {
  readonly code = 'ALC_ERR_WIRING'
  /** All faults; the message lists them. */
  readonly faults: readonly Fault[]

  constructor(application: string, found: readonly Fault[]) {
    const title = found.length === 1 ? `The wiring of ${application} is wrong:` : `The wiring of ${application} has ${found.length} faults:`
    super([title, ...found.map(({ message }) => `  - ${message}`)].join('\n'))
    this.faults = found
    // A stack trace would only show where in the framework the faults were found.
    this.stack = `${this.name}: ${this.message}`
  }
  override get name(): string {
    return 'WiringError'
  }
}

/** `resolve` was called with a token that is not visible there, or whose provider has no instance. */
export class ResolutionError extends Error {
  readonly code = 'ALC_ERR_RESOLUTION'
  override get name(): string {
    return 'ResolutionError'
  }
}
