/**
 * The rules that the server keeps, in our own words: one entry for each statement of behaviour in its specification, by
 * its heading and number (table rows by name), and the decisions about questions that the specification leaves open. A test
 * names the rule that it proves; `coverage.test.ts` fails if a rule has no test.
 */
export const rules = {
  'Service 1': 'All contexts except the root are plugins, with their own decorators, hooks, plugins and routes.',
  'Service 2': 'The encapsulation context decides which decorators, hooks and plugins a route sees.',
  'Service 3': 'Schemas of a route validate body, query string, path parameters and headers, and serialize its replies.',
  'Service 4': 'Schemas are optional; they are compiled into functions at boot.',
  'Service 5': '`listen` opens the port that the server answers on.',

  'Encapsulation 1': 'Contexts form a tree: root, root plugins, children, grandchildren, each with plugins of its own.',
  'Encapsulation 2': 'Children and grandchildren reach the plugins and decorators of the root.',
  'Encapsulation 3': 'A grandchild reaches the plugins and decorators of the child that contains it.',
  'Encapsulation 4':
    'The declarations of a context are invisible to its ancestors and siblings; a request decorator of another context is undefined.',
  'Encapsulation 5': 'A plugin in the plugin wrapper registers everything in the context that contains it.',
  'Encapsulation 6, /one': 'Reference scenario: GET /one requires a token and sees `answer`.',
  'Encapsulation 6, /two': 'Reference scenario: GET /two is public and sees `answer` and `foo`.',
  'Encapsulation 6, /three': 'Reference scenario: GET /three is public and sees `answer`, `foo` and `bar`.',
  'Encapsulation 7': '`answer` belongs to the root, `foo` to the public context, `bar` to the grandchild.',
  'Encapsulation 8': 'A decorator that is not visible leaves its key out of the JSON.',
  'Encapsulation 9': 'With the grandchild wrapped, GET /two sees `bar` too, and GET /three is unchanged.',

  'Context, root': 'The root context is the top-level server and not a plugin.',
  'Context, plugin': 'A plugin is an async function, or takes a callback, and receives a child instance.',
  'Context, request decorator': '`decorateRequest(name, value)` adds a property that handlers read as `request.<name>`.',

  'Shared schema, $id': 'A shared schema is added and referred to under its `$id`, a plain name or a URL.',
  'Shared schema, keywords': 'The other keys are JSON Schema draft 7.',
  'Shared schema, encapsulation':
    '`getSchemas()` returns the schemas of the context and its ancestors; those of a child are invisible above.',

  'Route schema, body': '`body` validates the request body of POST, PUT and PATCH only.',
  'Route schema, querystring': '`querystring`, or its alias `query`, validates the query string.',
  'Route schema, params': '`params` validates the path parameters.',
  'Route schema, headers': '`headers` validates the request headers, with names in any case.',
  'Route schema, response': '`response` holds the schemas that replies are serialized with, by status.',
  'Route schema 1': 'A request part is a complete schema, or a shorthand that lists its parameters at the top level.',
  'Route schema 2': 'Response keys are an exact status, a range such as `2xx`, or `default`.',
  'Route schema 3': 'A response entry may give each media type a schema of its own in a `content` map, with ranges too.',
  'Route schema 4': 'The serializer fills in `default` of a response property.',

  'Validation error, statusCode': 'A validation error has `statusCode` 400.',
  'Validation error, message': 'Its `message` is built by the schema error formatter.',
  'Validation error, validation': 'Its `validation` is the validator’s own `error` content.',
  'Validation error, validationContext': 'Its `validationContext` is `body`, `params`, `query` or `headers`.',
  'Validation error, request.validationError': 'With `attachValidation` the error is at `request.validationError`.',

  Endpoints: 'The only paths are those that the application declares.',
  'Declaring, route': '`route` takes path, method, handler and optionally schema, attachValidation and validatorCompiler.',
  'Declaring, get and post': '`get` and `post` are short for `route`, with or without options; options may carry the handler.',
  'Declaring, register': '`register` creates a child context for a plugin.',
  'Declaring, decorateRequest': '`decorateRequest` adds a property in the context and its descendants.',
  'Declaring, listen': '`listen({ port }, callback?)` starts the server.',
  'Declaring, reply': 'Handlers reply with `send`, `code` and `status`; `serializer` sets the serializer of one reply.',

  'Schemas, addSchema': '`addSchema` adds a schema to the context and returns the instance.',
  'Schemas, getSchemas': '`getSchemas` returns the visible schemas by `$id`.',
  'Schemas, getSchema': '`getSchema` returns the schema that was added under an `$id`.',
  'Schemas, custom engine': 'A custom engine does not know `addSchema`; it gets schemas from `getSchemas`.',

  'References, #name': '`#name` is the subschema with that `$id` in the same schema.',
  'References, #/definitions': '`#/definitions/name` is a definition of the same schema.',
  'References, url#': '`url#` is the shared schema with that `$id`.',
  'References, url#/definitions': '`url#/definitions/name` is a definition of the shared schema.',
  'References, url#name': '`url#name` is the subschema with `$id` `#name` of the shared schema.',
  'References, plain id#': '`id#` refers to a whole shared schema, also as body and headers.',
  'References, properties': 'A reference may lead into the `properties` of a shared schema.',
  'References, both engines': 'Validator and serializer both resolve all forms.',
  'References, unresolvable': 'A reference that leads nowhere fails the boot, naming route, part and reference.',

  'Compilers, setValidatorCompiler': '`setValidatorCompiler(fn)`: arguments, result forms, and the route option.',
  'Compilers, setSerializerCompiler': '`setSerializerCompiler(fn)`: arguments, and every route with a response schema.',
  'Compilers, setErrorHandler': '`setErrorHandler(fn)`: arguments, and `this` is the server.',
  'Compilers, setSchemaErrorFormatter': '`setSchemaErrorFormatter(fn)`: arguments, `this`, synchronous, must return an Error.',
  'Compilers, jsv.plugins': '`jsv.plugins` are plugins of the shipped validator.',
  'Compilers, jsv.customOptions': '`jsv.customOptions` override the baseline options of the validator.',
  'Compilers, schemaErrorFormatter': 'The construction option `schemaErrorFormatter` is the formatter of the whole server.',

  'Authentication 1': 'A bearer-token plugin is registered in one context with the accepted `keys`.',
  'Authentication 2': 'It protects that context and its descendants, and no other context.',
  'Authentication 3': 'An accepted token in `authorization: Bearer …` is answered normally.',
  'Authentication 4': 'A missing or invalid token is answered by the plugin.',

  'Events 1': 'Hooks belong to a context and run for its routes and those of its descendants.',
  'Events 2': '`preHandler` runs after validation and may be asynchronous.',
  'Events 3': 'Nothing is notified to the outside.',
  'Events 4': 'The hooks of a request run in the documented order.',

  'Errors 1': 'A failed validation is answered 400 with `statusCode`, `error` and a message that names the part.',
  'Errors 2': 'Every validation error has `statusCode` 400, which the default handler replies with.',
  'Errors 3': '`attachValidation` leaves a failed validation to the handler.',
  'Errors 4': 'An error handler detects validation errors and may answer them with another status and payload.',
  'Errors 5': 'Errors of other validation libraries are answered 400 too; a handler or their own structure makes them readable.',
  'Errors 6': 'Validator plugins provide custom messages and translations.',
  'Errors 7': 'Other failures: 404, 413, 415 and 500 have a payload of the same form, with a code if there is one.',

  'Validation behavior 1': 'JSON bodies are validated; a body that its schema does not cover never reaches the handler.',
  'Validation behavior 2': 'The default validator is ajv 8, compiled per schema.',
  'Validation behavior 3, coerceTypes': 'Values are coerced to the declared types, a single query value into an array.',
  'Validation behavior 3, useDefaults': 'Missing properties and items get their `default`.',
  'Validation behavior 3, removeAdditional': 'Extra properties are removed if `additionalProperties` is false.',
  'Validation behavior 3, uriResolver': 'References are resolved by the fast URI resolver.',
  'Validation behavior 3, addUsedSchema': 'A schema with an `$id` may be compiled more than once.',
  'Validation behavior 3, allErrors': 'Validation stops at the first error.',
  'Validation behavior 4': '`jsv.customOptions` change the baseline; the alternative is a custom validator instance.',
  'Validation behavior 5': 'Each request part may have a validator of its own, by `httpPart`; a part without one fails the boot.',
  'Validation behavior 6': 'Other validation libraries can replace the default validator.',
  'Validation behavior 7': 'The common keywords work in every part.',
  'Validation behavior 8': '`$async` schemas are supported.',

  'Serialization behavior 1': 'A response schema lets through only the properties that it declares.',
  'Serialization behavior 2': 'Status and content type select the serializer.',
  'Serialization behavior 3': 'A serializer compiler is used for every route that has a response schema.',
  'Serialization behavior 4': 'Exact code, then range, then `default`.',

  'Limits 1': '`allErrors` is off.',
  'Limits 2': '`$async` is never used by the framework itself.',
  'Limits 3': 'Schemas come from the application: no part of a request is ever compiled.',
  'Limits 4': 'Bodies have a size limit, of the server or the route.',

  'Versioning 1': 'The plugin interface is that of the 4.26 line.',
  'Versioning 2': 'The shipped validator is ajv 8.',
  'Versioning 3': 'Schemas are JSON Schema draft 7.',
  'Versioning 4': 'Plugins of the shipped validator version work; a plugin for another server version is refused.',
  'Versioning 5': 'Routes may differ by a version constraint.',

  'Decision 1': 'Messages say “should”; the error objects of the engine and the texts of an application are not changed.',
  'Decision 2': 'The query string is `querystring` to formatters and compilers, `query` in `validationContext`.',
  'Decision 3': 'The 400 payload has only `statusCode`, `error` and `message`; other errors may have a `code`.',
  'Decision 4': 'A body schema belongs to POST, PUT and PATCH and covers JSON, `consumes` and `body.content`; other media types get 415.',
  'Decision 5': 'Response precedence: exact, range, default; within it the media type, then any type; otherwise plain JSON.',
  'Decision 6': 'Validation runs params, body, querystring, headers.',
  'Decision 7': 'Messages of server faults are not shown, but logged.',
  'Decision 8': 'Numbers that are not finite never reach a handler.',
  'Decision 9': 'Each input is read once: a malformed media type is refused.',
  'Decision 10': 'Behaviour that the specification does not show is that of the documentation of Fastify 4.26.',
  'Decision 11': 'Unmodified plugins of the ecosystem work.',
  'Decision 12': 'The forms that count as shorthand, and the option that turns it off.',
} as const

export type RuleId = keyof typeof rules
