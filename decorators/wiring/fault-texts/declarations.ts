/** The texts of faults in declarations: in a class, its options and its decorators, and between declarations. */
import { suggestName } from '../../../lib/internal.js'
import { at, list, orInTest, type SchemaUse, type Sharing, sharing } from './text.js'

/** The code for these symbols. Their descriptions differ between releases of Node. */
const namesOfSymbols: ReadonlyMap<string | symbol, string> = new Map([
  [Symbol.dispose, '[Symbol.dispose]'],
  [Symbol.asyncDispose, '[Symbol.asyncDispose]'],
])

/** When alcove calls the methods of instances that do not end them. */
const timesOfCalls: Readonly<Record<string, string>> = {
  onReady: 'after the boot',
  onListen: 'when the server listens',
  onRequestEnd: 'when a request ends',
}

export const declarationFaults = {
  NOT_A_PLUGIN: (
    entry: string,
    path: string,
    cure = `Write @Plugin({ … }) above the class, or import a plugin function with use(${entry}).`,
  ) => at(path, `${path} imports ${entry}, which is not a plugin.`, cure),
  APPLICATION_NOT_A_PLUGIN: (application: string) =>
    at(application, `${application} is not a plugin, so it cannot be the application.`, 'Write @Plugin({ … }) above the class.'),
  PLUGIN_OF_OTHER_COPY: (place: string, use: string, copy: string) =>
    at(
      place,
      `${place} ${use} a plugin of another copy of alcove, in ${copy}.`,
      'Use one copy for the whole application: npm ls alcove shows where each comes from.',
    ),
  DECORATOR_OF_OTHER_COPY: (path: string, place: string, copy: string) =>
    at(
      path,
      `${place} has decorators of another copy of alcove, in ${copy}, which have no effect here.`,
      'Use one copy for the whole application: npm ls alcove shows where each comes from.',
    ),
  ENTRY_INVALID: (path: string, option: string, entry: string, cure: string) => at(path, `${path} lists ${entry} in ${option}.`, cure),
  IMPORT_CIRCLE: (circle: readonly string[], path: string) =>
    at(path, `${circle[0]} imports itself: ${circle.join(' > ')}.`, 'Move what both need into a plugin that each of them imports.'),
  NOT_A_ROUTE: (entry: string, path: string, isPlugin = false) =>
    at(
      path,
      `${path} lists ${entry} among its routes, but it is neither a route nor a controller.`,
      isPlugin
        ? `It is a plugin: list it in imports.`
        : `Write @Route({ method, path }) above a class with handle(), or @Controller() above one with @Get() methods.`,
    ),
  ROUTE_WITHOUT_HANDLE: (name: string, path: string) =>
    at(`${path} > ${name}`, `${path} > ${name} has no method handle(request, reply).`, 'A class with @Route answers its requests there.'),
  ROUTE_NAMED_AS_LIFECYCLE: (path: string, member: string | symbol) =>
    at(
      path,
      `${path} is a route, but alcove itself calls a method ${namesOfSymbols.get(member) ?? String(member)}() ${timesOfCalls[String(member)] ?? 'when the instance ends'}, without guards.`,
      'Give the method another name.',
    ),
  CONTROLLER_WITHOUT_ROUTES: (name: string, path: string) =>
    at(`${path} > ${name}`, `${path} > ${name} is a controller without routes.`, 'Write @Get(), @Post() … above its methods.'),
  CONTROLLER_PREFIX_INVALID: (path: string) =>
    at(
      path,
      `${path} has @Controller with a prefix that is not a string.`,
      `Write @Controller('/users'), with options for all its routes as the second argument: @Controller('/users', { … }). Those of one route stand in @Get(), @Post() ….`,
    ),
  OPTION_INVALID: (place: string, decorator: string, value: string, option: string, wanted: string, cure: string) =>
    at(place, `${place}: ${decorator} has ${value} as ${option}, which is not ${wanted}.`, cure),
  UNKNOWN_OPTION: (place: string, decorator: string, option: string, cure: string) =>
    at(place, `${place}: ${decorator} has no option '${option}'.`, cure),
  SCHEMA_PART_UNKNOWN: (place: string, part: string, meant: string | undefined) =>
    at(
      place,
      `${place} has a schema for '${part}', which is not a part of requests or replies, so it would have no effect.`,
      meant === undefined
        ? `Parts are: body, params, querystring, headers, cookies, response. Write other keys in @Config, or give them names that begin with x-.`
        : `Did you mean '${meant}'?`,
    ),
  SCHEMA_PART_UNDEFINED: (place: string, part: string) =>
    at(
      place,
      `${place} has undefined as the schema of ${part}, often because of a circle of imports.`,
      'Declare the schema before the class, or leave the part out.',
    ),
  MEDIA_TYPE_INVALID: (place: string, part: string, key: string) =>
    at(
      place,
      `${place} has '${key}' in the content of ${part}, which is no media type, so its schema would be used for nothing.`,
      'Write a media type, such as application/json, or a range: application/* or */*.',
    ),
  STREAM_MISPLACED: (place: string, part: string, cure: string) =>
    at(place, `${place} has stream(…) in ${part}, where it has no effect.`, cure),
  UNKNOWN_SCOPE: (path: string, scope: string, known: readonly string[], provider?: string) =>
    at(
      path,
      `${path}${provider === undefined ? '' : `: ${provider}`} has the scope ${scope}, which does not exist.`,
      `Scopes are: ${list(known)}.`,
    ),
  CLASS_WITHOUT_NAME: (place: string, found: string) =>
    at(
      place,
      `${found} without a name, so that errors could not say which class they are about.`,
      'Declare it with a name: class GetUser { … }. A class that is an argument has only the name after the word class, which a minifier drops unless it is told to keep names.',
    ),
  DECORATOR_UNREAD: (place: string, decorator: string, reason: string, right: string) =>
    at(place, `${place} has ${decorator}, which has no effect there: ${reason}.`, `It stands ${right}.`),
  DECORATOR_UNDEFINED: (place: string, decorator: string, argument = 'undefined') =>
    at(
      place,
      `${place} has ${decorator} with ${argument}, often because of a circle of imports.`,
      'Declare what it names before the class.',
    ),
  SCHEMAS_INVALID: (place: string, value: string) =>
    at(
      place,
      `${place} has ${value} as its schemas, which is not an object of parts, so nothing would be validated.`,
      'Write { body: …, params: …, querystring: …, headers: …, cookies: …, response: … }.',
    ),
  DECORATOR_REPEATED: (place: string, decorator: string, cure: string) =>
    at(place, `${place} has ${decorator} more than once, but only one counts.`, cure),
  DECORATOR_UNFINDABLE: (place: string, decorator: string, owner: string) =>
    at(
      place,
      `${place} has ${decorator}, but providersWith would not find it: each ${owner} has an instance of its own.`,
      `Write ${decorator} in a class that lives as long as its context.`,
    ),
  HOOK_OF_APPLICATION: (hook: string, place: string) =>
    at(
      place,
      `${place} has @Hook('${hook}', …), but ${hook} is a hook of the application, not of requests.`,
      `In a plugin class write @Hook('${hook}') on a method, or list the function in hooks: { ${hook}: … }.`,
    ),
  HOOK_CLASS_IDLE: (className: string, hook: string, path: string) =>
    at(
      path,
      `${path} provides ${className}, which has the hook ${hook}, but nothing lists it as a hook or injects it: the hook never runs.`,
      `List it in hooks: { ${hook}: ${className} }, or above a route: @Hook('${hook}', ${className}). If only server.resolve finds it, provide it by useFactory.`,
    ),
  CONTEXT_WITHOUT_ROUTES: (path: string, idle: readonly string[], parent: string, className: string) =>
    at(
      path,
      `${path} declares ${list(idle)} in its own context, but no route is in or below it: no request ever meets them.`,
      `Import it with shared(${className}), so that it declares in ${parent}, or declare them there. If code adds its routes, add them in setup.`,
    ),
  UNKNOWN_HOOK: (name: string, place: string, known: readonly string[]) =>
    at(place, `${place} names the hook '${name}', which does not exist.`, `Hooks are: ${list(known)}.`),
  HOOK_UNFIT: (path: string, problem: string, cure: string) => at(path, `${path} ${problem}.`, cure),
  HOOK_CLASS_WITHOUT_METHOD: (className: string, hook: string, place: string) =>
    at(
      place,
      `${place} runs ${className} as ${hook} hook, but the class has no method ${hook}(request, ${hook === 'around' ? 'next' : 'reply'}).`,
      'Name the method after the hook.',
    ),
  HANDLER_INVALID: (place: string, option: string, value: string, name: string, signature: string) =>
    at(
      place,
      `${place} has ${value} as ${name === option ? option : `${name} of ${option}`}.`,
      `Write a function, or a class with a method ${signature}.`,
    ),
  HANDLER_CLASS_WITHOUT_METHOD: (className: string, option: string, signature: string, place: string) =>
    at(place, `${place} names ${className} in ${option}, but the class has no method ${signature}.`, 'Give its method this name.'),
  FORMATTER_INVALID: (className: string, place: string, reason: string) =>
    at(
      place,
      `${place} has ${className} as schemaErrorFormatter, but ${reason}.`,
      'Return the error at once, from what lives as long as the context; do the rest in an errorHandler, where error.validation has the same details.',
    ),
  HOOK_WITHOUT_FUNCTION: (hook: string, place: string) =>
    at(
      place,
      `${place} has @Hook('${hook}') without a function.`,
      `Write the function or class to run: @Hook('${hook}', …). Only in a plugin class does @Hook turn the method itself into a hook.`,
    ),
  HOOK_ASYNC_WITH_DONE: (hook: string, place: string, name?: string) =>
    at(
      place,
      `The ${hook} hook ${name === undefined ? place : `${name} of ${place}`} is async and also takes done, so nothing says when it is over.`,
      'Remove async or done.',
    ),
  HOOK_GENERATOR: (hook: string, place: string, name?: string) =>
    at(
      place,
      `The ${hook} hook ${name === undefined ? place : `${name} of ${place}`} is a generator, so its code would never run.`,
      'Write it without the asterisk.',
    ),
  HOOK_NOT_A_METHOD: (hook: string, path: string) =>
    at(
      path,
      `${path} has @Hook('${hook}', …) with a function, which is for routes and controllers.`,
      `In a plugin class write @Hook('${hook}') on a method, or list the function in hooks: { ${hook}: … }.`,
    ),
  DESCRIPTION_INVALID: (place: string, { problem, cure }: { readonly problem: string; readonly cure: string }, within?: string) =>
    at(place, `${place}${within === undefined ? '' : `, in ${within},`} ${problem}.`, cure.endsWith('?') ? cure : `${cure}.`),
  RESPONSE_CONTRADICTED: (place: string, from: string, status: string, mediaType: string, own: string) =>
    at(
      place,
      `${from} declares the response ${status} (${mediaType}) with another schema than ${place} has for ${own}, by which its replies are serialized.`,
      'Write the same schema in both, or leave it out of the route.',
    ),
  RESPONSE_SCHEMA_HIDDEN: (from: string, place: string, id: string, elsewhere: readonly string[], how?: Sharing) =>
    at(
      place,
      `A declared response of ${from} refers to the schema '${id}', which ${place} does not see. It is declared in ${list(elsewhere)}.`,
      `Declare it in an ancestor, or ${sharing(how)}`,
    ),
  SECURITY_SCHEME_AMBIGUOUS: (name: string, first: string, second: string) =>
    at(
      second,
      `The security scheme '${name}' is declared by ${first}, and with other values by ${second}.`,
      'Write the same scheme in both, or give one of them another name.',
    ),
  SECURITY_SCHEME_UNKNOWN: (place: string, name: string, declared: readonly string[]) =>
    at(
      place,
      `${place} requires the security scheme '${name}', which nothing declares${declared.length === 0 ? '' : ` (${list(declared)} ${declared.length === 1 ? 'is' : 'are'} declared)`}.`,
      `Declare it in the guard that checks it: static security = { ${/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`}: { type: 'http', scheme: 'bearer' } }.`,
    ),
  SCHEMA_WITHOUT_ID: (name: string, path: string, cure: string) =>
    at(path, `${path} lists ${name} among its schemas, but it has no $id.`, cure),
  SCHEMA_ID_REPEATED: (id: string, { name, place, isListed }: SchemaUse, other: SchemaUse) =>
    at(
      place,
      `${place} ${isListed ? 'lists' : 'refers to'} ${name}, but its $id '${id}' is that of ${other.name}, which ${other.place} ${other.isListed ? 'lists' : 'refers to'}.`,
      isListed && other.isListed ? 'Give one of them another $id, or keep one of the entries.' : 'Give one of them another $id.',
    ),
  MODEL_HAS_TWO_SCHEMAS: (name: string, path: string) =>
    at(`${path} > ${name}`, `${path} > ${name} extends Model(…), and has @Schema with another schema.`, 'Keep one of them.'),
  REFERENCE_INVALID: (place: string, { problem, cure }: { readonly problem: string; readonly cure: string }) =>
    at(place, `${place} refers to ${problem}`, cure),
  REQUIRED_NOT_LISTED: (place: string, name: string, properties: readonly string[]) =>
    at(
      place,
      `${place} has a schema that requires '${name}', which is not among its properties.`,
      `${suggestName(name, properties)} Write ${name}: {} among the properties, or take it out of required.`.trim(),
    ),
  SCHEMA_NOT_VISIBLE: (place: string, id: string, elsewhere: readonly string[], how?: Sharing) =>
    at(
      place,
      `${place} refers to the schema '${id}', which is not visible there. It is declared in ${list(elsewhere)}.`,
      `Declare it in an ancestor, or ${sharing(how)}`,
    ),
  SCHEMA_NOT_LISTED: (place: string, id: string, name: string, plugin: string, isMountedAlone?: boolean) =>
    at(
      place,
      `${place} refers to the schema '${id}' by its name, which no plugin lists in schemas.`,
      `Write ref(${name}), or schemas: [${name}] in ${plugin} or in an ancestor.${orInTest(isMountedAlone, `schemas: [${name}]`)}`,
    ),
  BODY_SCHEMA_ON_BODYLESS_METHOD: (place: string, method: string) =>
    at(
      place,
      `${place} has a body schema, but bodies of ${method} requests are not validated.`,
      'Use POST, PUT or PATCH, or leave out the schema.',
    ),
  STATUS_INVALID: (place: string, status: string) =>
    at(place, `${place} has the status ${status}, but a reply has a whole number from 200 to 599.`, 'Correct it, or leave it out for 200.'),
  PARAMETER_REPEATED: (place: string, name: string, path: string) =>
    at(
      place,
      `${place} has the parameter '${name}' twice in its path ${path}, but a request has only the value of the last.`,
      'Give one of them another name.',
    ),
  NOT_FOUND_HANDLER_REPEATED: (path: string, prefix: string, other: string) =>
    at(
      path,
      `${path} has a notFoundHandler for the prefix '${prefix}', for which ${other} has one.`,
      'Keep one of them, or give the plugin a prefix of its own.',
    ),
  ERROR_FORMATS_DIFFER: (path: string, format: string, other: string, otherFormat: string) =>
    at(
      path,
      `${path} has errorFormat: '${format}', but ${other}, which declares in the same context, has errorFormat: '${otherFormat}'.`,
      'Keep one of them.',
    ),
  CONTEXT_SETTINGS_DIFFER: (path: string, option: string, other: string, className: string) =>
    at(
      path,
      `${path} has the option ${option}, but ${other}, which declares in the same context, has it with another value.`,
      `Keep one of them, or import ${className} without sharing it: it then declares in a context of its own.`,
    ),
  LIFECYCLE_METHOD_UNKNOWN: (place: string, method: string, known: string) =>
    at(
      place,
      `${place} has the method ${method}, which NestJS calls and alcove does not.`,
      `Name it ${known}, or write ${known} beside it.`,
    ),
  PARAMETER_NOT_IN_PATH: (place: string, names: readonly string[], path: string) =>
    at(
      place,
      `${place} requires ${list(names.map((name) => `'${name}'`))} in the schema of params, but its path ${path} has no such parameter: every request would get 400.`,
      `Write it in the path (:${names[0]}) or in a prefix, or leave it out of required.`,
    ),
  DUPLICATE_ROUTE: (method: string, url: string, first: string, second: string) =>
    at(second, `${method} ${url} is declared twice: by ${first} and by ${second}.`, 'Give one of them another path, or constraints.'),
  OPERATION_ID_REPEATED: (id: string, first: string, second: string, place: string) =>
    at(
      place,
      `Two operations have the operationId '${id}': ${first} and ${second}.`,
      'Write another one for one of them, in its schema, in its docs, or in the option operationId of the document. A route without one is named after its class and method.',
    ),
  PLUGIN_IMPORTED_TWICE: (plugin: string, importers: readonly string[], route: string, common: string | undefined) =>
    at(
      importers.at(-1)!,
      `${importers.length === 1 ? `${importers[0]} imports ${plugin} twice` : `${importers.join(' and ')} each import ${plugin}`}: it has two instances, and both declare ${route}.`,
      importers.length === 1
        ? `Keep one of these imports, or give them different prefixes with use(${plugin}, { prefix }).`
        : common === undefined
          ? `Give these imports different prefixes with use(${plugin}, { prefix }).`
          : `Import shared(${plugin}) in ${common}: that one instance then serves both, and their own imports may stay. For two instances, give the imports different prefixes with use(${plugin}, { prefix }).`,
    ),
} as const
