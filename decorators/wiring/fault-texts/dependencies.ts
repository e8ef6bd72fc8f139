/** The texts of faults in dependencies: request decorators, providers, constructor arguments, and overrides of tests. */
import { type Consumer, labelOf, consumerPath } from '../value-names.js'
import { at, list, orInTest, type Sharing, sharing } from './text.js'

const declareFirst = 'Declare it first; in a circle, move what both modules need into a third one.'

export const dependencyFaults = {
  DUPLICATE_DECORATOR: (kind: string, name: string, path: string, other: string) =>
    at(
      path,
      `${path} adds the ${kind} decorator '${name}'${other === path ? ' twice.' : `, but it already sees one of that name, added by ${other}.`}`,
      'Give one of them another name.',
    ),
  REQUIREMENT_NOT_MET: (
    name: string,
    path: string,
    elsewhere: readonly string[],
    reader?: string,
    how?: Sharing,
    isMountedAlone?: boolean,
  ) => {
    const problem = `${withReader(path, reader)} requires the request decorator '${name}', which is not visible there.`
    if (elsewhere.length === 0)
      return at(
        path,
        problem,
        `Add it to decorateRequest of an ancestor, or, if a plugin function adds it, to decorates: use(fn, options, { decorates: [ … ] }).${orInTest(isMountedAlone, 'provide: [[…, value]]')}`,
      )
    return at(path, `${problem} It is added in ${list(elsewhere)}.`, `Add it in an ancestor, or ${sharing(how)}`)
  },
  DECORATOR_AMBIGUOUS: (name: string, path: string, reader: string | undefined, adder: string) =>
    at(
      path,
      `${withReader(path, reader)} names a request decorator '${name}', but ${adder} adds another one of that name, whose value may have another type.`,
      'Use one requestDecorator(…) at both places, or give one of them another name.',
    ),
  DECORATOR_NOT_SET: (
    name: string,
    reader: string,
    place: string,
    route: string | undefined,
    setters: readonly string[],
    functions: readonly string[],
  ) =>
    at(
      place,
      route === undefined
        ? `${place}: the plugin requires request.${name}, but no hook that runs before ${reader} sets it.`
        : `${place} has ${reader}, which reads request.${name}, but at ${route} no hook that runs earlier sets it.`,
      howToSet(setters, functions, route === undefined),
    ),
  DECORATOR_READ_LATE: (name: string, hook: string, reader: string, place: string) =>
    at(
      place,
      `${place} has ${reader} as ${hook} hook, which reads request.${name}: ${hook} also runs for a request that a hook refused before it was set.`,
      `Take it out of static requires and read it as Optional: RouteRequest<…, [Optional<typeof …>]>.`,
    ),
  DECORATOR_NEVER_SET: (name: string, place: string) =>
    at(
      place,
      `${place} adds request.${name} without a value, but no hook class has it in static sets.`,
      `Write static sets = [ … ] in the hook class that sets it, or give it a value: requestDecorator('${name}', …).`,
    ),
  WITHOUT_NEEDLESS: (name: string, place: string, setter: string | undefined) =>
    at(
      place,
      setter === undefined
        ? `${place} has @Without for request.${name}, which its plugin does not require.`
        : `${place} has @Without for request.${name}, but the hook ${setter} sets it for this route: @Without takes no hook away.`,
      setter === undefined ? 'Remove the decorator.' : 'Remove the decorator, or move the route into a plugin without this hook.',
    ),
  DECORATES_UNTRUE: (name: string, path: string) =>
    at(
      path,
      `${path} lists the request decorator '${name}' in use(…), by decorates or sets, but the plugin does not add it.`,
      'Correct the list.',
    ),
  DECORATES_NOT_SHARED: (names: readonly string[], plugin: string, path: string) =>
    at(
      path,
      `${path} lists request decorators in use(${plugin}, …), by decorates or sets, but this plugin function declares in a context of its own: routes of ${path} would not see ${list(names.map((name) => `'${name}'`))}.`,
      `Write shared(use(${plugin}, …)), or wrap the function with fastify-plugin.`,
    ),
  DECORATES_OF_CLASS: (plugin: string, path: string) =>
    at(
      path,
      `${path} lists request decorators in use(${plugin}, …), by decorates or sets, which are for plugin functions.`,
      `Import the class with shared(…): routes of ${path} then see its request decorators.`,
    ),
  SETUP_OUTSIDE_PREFIX: (path: string, route: string, prefix: string) =>
    at(
      path,
      `The setup of ${path} adds ${route}, without the prefix ${prefix} of the plugin: in a context that the plugin does not own, only the classes in \`routes\` get it.`,
      'Write the prefix in the path, or list a route class.',
    ),
  PREFIX_COMPUTED: (path: string, plugin: string) =>
    at(
      path,
      `${path} imports ${plugin} with optionsFrom, which returned a prefix. The paths of routes are proved before anything is constructed, so a prefix cannot be computed.`,
      'Write it as the third argument: optionsFrom([…], make, { prefix }).',
    ),
  PROVIDER_NOT_VISIBLE: (consumer: Consumer, token: string, elsewhere: readonly string[], how?: Sharing) =>
    at(
      consumerPath(consumer),
      `${labelOf(consumer)} asks for ${token}, which is not visible there. It is provided in ${list(elsewhere)}.`,
      `Provide it in ${consumer.plugin.name} or an ancestor, or ${sharing(how)}`,
    ),
  PROVIDER_UNKNOWN: (consumer: Consumer, token: string, namesakes: readonly string[] = [], isMountedAlone?: boolean, cure?: string) =>
    namesakes.length === 0
      ? at(
          consumerPath(consumer),
          `${labelOf(consumer)} asks for ${token}, which no plugin provides.`,
          `${cure ?? `Add it to the providers of ${consumer.plugin.name} or of an ancestor`}.${orInTest(isMountedAlone, `provide: [[${token}, stub]]`)}`,
        )
      : at(
          consumerPath(consumer),
          `${labelOf(consumer)} asks for ${token}, which no plugin provides: ${list(namesakes)} provides another token of the same name.`,
          'Import the same one in both places: each class and each call of token(…) is a token of its own, also if one file is loaded twice.',
        ),
  PROVIDER_AMBIGUOUS: (token: string, path: string, places: readonly string[], isImportedTwice = false) =>
    new Set(places).size === 1
      ? at(
          places[0]!,
          `${token} is provided twice in ${path}: ${places[0]} ${isImportedTwice ? 'is shared twice' : 'lists it twice'}.`,
          isImportedTwice
            ? 'Keep one of the imports, or do not share them: each then has a context of its own.'
            : 'Keep one of the entries, or give the other its own token.',
        )
      : at(
          places.at(-1)!,
          `${token} is provided more than once in ${path}: by ${list(places)}.`,
          'Keep one of them, give the other its own token, or list it in private of a shared plugin that alone needs it.',
        ),
  PROVIDER_PRIVATE: (consumer: Consumer, token: string, owners: readonly string[]) =>
    at(
      consumerPath(consumer),
      `${labelOf(consumer)} asks for ${token}, which is private to ${list(owners)}.`,
      'Remove it from private there, or ask for another provider of that plugin.',
    ),
  PRIVATE_NOT_PROVIDED: (token: string, path: string) =>
    at(path, `${path} lists ${token} in private, but not among its providers.`, 'Add it to providers, or remove it from private.'),
  PROVIDER_INVALID: (entry: string, path: string) =>
    at(
      path,
      `${path} lists ${entry} among its providers.`,
      'A provider is a class, or { provide, useClass | useValue | useFactory | useExisting }.',
    ),
  PROVIDER_BUILT_IN: (token: string, path: string) =>
    at(
      path,
      `${path} provides ${token}, which is built in, so the provider would have no effect.`,
      'Remove it, or give it a token of its own.',
    ),
  PROVIDER_SOURCE_INVALID: (
    token: string,
    path: string,
    key: string,
    value: string,
    wanted: string,
    other = 'useValue for the value itself',
  ) =>
    at(
      path,
      `The provider of ${token} (in ${path}) has ${value} as ${key}, which is not ${wanted}.`,
      `Write ${wanted} there, or ${other}.`,
    ),
  INJECT_INVALID: (consumer: string, path: string, index: number, entry: string) =>
    at(
      `${path} > ${consumer}`,
      `Entry ${index + 1} of the tokens that ${consumer} (in ${path}) injects is ${entry}, which is not a token.`,
      "Write a class, a token made by token('NAME'), a symbol or a string.",
    ),
  INJECT_UNDEFINED: (consumer: string, path: string, index: number) =>
    at(
      `${path} > ${consumer}`,
      `Entry ${index + 1} of the tokens that ${consumer} (in ${path}) injects is undefined, often because its class is declared further down, or because of a circle of imports.`,
      declareFirst,
    ),
  PROVIDE_UNUSED: (name: string, path: string) =>
    at(
      path,
      `${path} provides ${name} itself, so \`provide\` would have no effect.`,
      'To replace a provider of the mounted plugin, use `override`.',
    ),
  CIRCULAR_DEPENDENCY: (circle: readonly Consumer[]) =>
    at(
      consumerPath(circle[0]!),
      `Circular dependency: ${circle.map(({ name, plugin }) => `${name} (${plugin.path})`).join(' -> ')}.`,
      'Let one of them take what it needs as an argument, or move the shared part into a third provider.',
    ),
  CAPTIVE_REQUEST_SCOPE: (consumer: Consumer, owner: string, dependency: string, isProvider = true) =>
    at(
      consumerPath(consumer),
      `${consumer.name} lives as long as ${owner} but depends on request-scoped ${dependency}.`,
      isProvider
        ? `Make ${consumer.name} request-scoped too ({ scope: 'request' }), or inject ambient(${dependency}) and read its \`current\` in each request.`
        : `It is made once at boot, so it can only depend on what lives as long as ${owner}.`,
    ),
  AMBIENT_NEEDLESS: (consumer: Consumer, dependency: string) =>
    at(
      consumerPath(consumer),
      `${labelOf(consumer)} injects ambient(${dependency}), but ${dependency} is not request-scoped: its \`current\` would always be the same.`,
      `Inject ${dependency} itself.`,
    ),
  LIFECYCLE_METHOD_UNCALLED: (consumer: Consumer, method: string, isOfRequest = true) =>
    at(
      consumerPath(consumer),
      `${labelOf(consumer)} has ${method}(), which would never be called: ${isOfRequest ? 'each request has an instance of its own' : 'it belongs to no request'}.`,
      isOfRequest ? 'Move it to a provider that lives as long as its context.' : "Make it request-scoped: { scope: 'request' }.",
    ),
  END_INVALID: (consumer: Consumer, value: string) =>
    at(
      consumerPath(consumer),
      `${labelOf(consumer)} has static endsBefore = ${value}, which has no effect.`,
      "Write static readonly endsBefore = 'reply', and a method onRequestEnd(outcome).",
    ),
  OVERRIDE_UNUSED: (name: string, path: string) =>
    at(
      path,
      `Nothing to override: in ${path}, ${name} is neither a provider nor a request decorator, a hook class, a class in the place of an error handler, not-found handler, formatter or parser, or an imported plugin.`,
      'To supply something that an ancestor provides, use `provide`.',
    ),
  OVERRIDE_OF_MOUNTED: (name: string) =>
    at(name, `${name} is the mounted plugin, which \`override\` does not replace.`, 'Mount its substitute: testServer(Substitute).'),
  SUBSTITUTE_WITHOUT_METHOD: (substitute: string, className: string, place: string, method: string) =>
    at(
      place,
      `${substitute} takes the place of ${className}, whose method ${method} ${place} calls, but has no such method.`,
      'Write it in the class, or pass an object that has it.',
    ),
  SUBSTITUTE_NOT_A_PLUGIN: (name: string, path: string, substitute: string, isClass: boolean) =>
    at(
      path,
      `${path} imports ${name}, which ${substitute} cannot replace.`,
      isClass ? 'Write a class with @Plugin() instead of it.' : 'Write a plugin function instead of it.',
    ),
  NO_CONSTRUCTOR_TYPES: (className: string, path: string, count: number) =>
    at(
      `${path} > ${className}`,
      `${className} (in ${path}) has ${count === 1 ? 'a constructor argument, but its type is' : `${count} constructor arguments, but their types are`} not known at run time.`,
      'Write static inject = [/* its tokens */] as const in the class; or put a decorator on it (@Injectable()) and compile with tsc and emitDecoratorMetadata (tsx and esbuild emit no types).',
    ),
  UNKNOWN_CONSTRUCTOR_TYPE: (className: string, path: string, index: number, type: string) =>
    at(
      `${path} > ${className}`,
      `Argument ${index + 1} of ${className} (in ${path}) has no token: at run time its type is ${type}.`,
      'Interfaces, unions, primitive types and `import type` do not identify a provider; write static inject = [/* its tokens */] as const.',
    ),
  CLASS_USED_BEFORE_DECLARATION: (className: string, path: string, index: number) =>
    at(
      `${path} > ${className}`,
      `Argument ${index + 1} of ${className} (in ${path}) was undefined when the class was decorated: its class is declared further down, or in a circle of imports.`,
      declareFirst,
    ),
  INJECT_COUNT: (consumer: string, path: string, listed: number, taken: number, isFactory = false) =>
    at(
      `${path} > ${consumer}`,
      `${consumer} (in ${path}) lists ${listed} ${listed === 1 ? 'token' : 'tokens'} in ${isFactory ? 'inject' : 'static inject'}, but its ${isFactory ? 'useFactory' : 'constructor'} takes ${taken} ${taken === 1 ? 'argument' : 'arguments'}.`,
      'List one for each argument: optional(…) for one that may be missing.',
    ),
} as const

/** Returns the place of a reader of a request decorator: the plugin or route, followed by its hook or handler if that is the reader. */
function withReader(path: string, reader: string | undefined): string {
  return reader === undefined ? path : `${path} with ${reader}`
}

/**
 * Returns the cure for a request decorator that is not set when it is read: the text says how to run hook classes or plugin functions that
 * set it before the reader.
 */
function howToSet(setters: readonly string[], functions: readonly string[], isRoute: boolean): string {
  if (setters.length === 0 && functions.length > 0)
    return `Import ${functions.join(' or ')}, which sets it, in the plugin or in an ancestor, before shared plugins whose hooks read it.`
  return setters.length === 0
    ? `Write static sets = [ … ] in the hook class that sets it, and list the class in hooks of the plugin or of an ancestor.`
    : `List ${setters.join(' or ')}, which sets it, in hooks of the plugin or of an ancestor, or above the route.${
        isRoute ? ' A route that does without it says so: @Without(…).' : ''
      }`
}
