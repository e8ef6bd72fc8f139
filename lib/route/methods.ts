/** The HTTP methods: one table of what is known about each. */
import { ContextMethods, type MethodFacts } from '../context/context-methods.js'
import type { Conventions } from '../context/conventions.js'
import { errorCodes } from '../errors/codes.js'
import type { KnownMethod } from '../types/route.js'
import { METHODS } from '../util/node/modules.js'

/** The methods that routes of every server can have. Bodies of WebDAV are XML, for which there is no parser. */
const methodFacts = {
  DELETE: { body: 'typed', hasShorthand: true },
  GET: { body: 'never', hasShorthand: true },
  HEAD: { body: 'never', hasShorthand: true },
  PATCH: { body: 'always', hasShorthand: true },
  POST: { body: 'always', hasShorthand: true },
  PUT: { body: 'always', hasShorthand: true },
  OPTIONS: { body: 'typed', hasShorthand: true },
  TRACE: { body: 'always', hasShorthand: true },
  QUERY: { body: 'required', hasShorthand: true },
  PROPFIND: { body: 'never', hasShorthand: false },
  PROPPATCH: { body: 'never', hasShorthand: false },
  MKCOL: { body: 'never', hasShorthand: false },
  COPY: { body: 'never', hasShorthand: false },
  MOVE: { body: 'never', hasShorthand: false },
  LOCK: { body: 'never', hasShorthand: false },
  UNLOCK: { body: 'never', hasShorthand: false },
  SEARCH: { body: 'always', hasShorthand: false },
} as const satisfies Record<KnownMethod, MethodFacts>

/** The methods that have a member of every server, in capitals. Older versions of Node lack QUERY: routes with it are refused there. */
export const shorthandMethods = (Object.keys(methodFacts) as KnownMethod[]).filter((name) => methodFacts[name].hasShorthand)

/** The methods that routes of every server can have, in capitals: those of the table that Node's parser knows. */
export const httpMethods: readonly KnownMethod[] = (Object.keys(methodFacts) as KnownMethod[]).filter((name) => METHODS.includes(name))

/** The methods that `addHttpMethod` can add. Node never passes on CONNECT as a request. */
export const addableMethods: readonly string[] = METHODS.filter((name) => name !== 'CONNECT')

/** Makes the methods of a root context. */
export function createRootMethods(): ContextMethods {
  return new ContextMethods(new Map(httpMethods.map((name) => [name, methodFacts[name]])))
}

/**
 * Adds a method to a context, or changes whether its body is read.
 * @throws ALC_ERR_ROUTE_METHOD_INVALID if Node's parser does not know it
 */
export function addMethod(methods: ContextMethods, name: string, hasBody: boolean): void {
  if (!addableMethods.includes(name)) throw new errorCodes.ALC_ERR_ROUTE_METHOD_INVALID(`'${name}' is none of ${addableMethods.join(', ')}`)
  const readsBody = name === 'QUERY' ? 'required' : 'always'
  methods.add(name, { body: hasBody ? readsBody : 'never', hasShorthand: true })
}

/** What decides in a context which methods take a body schema. */
export interface BodySchemaContext {
  readonly methods: ContextMethods
  readonly options: { readonly conventions: Pick<Conventions, 'takesAllBodySchemas'> }
}

/** Whether routes of a method can have a body schema in a context: its body must be read. */
export function takesBodySchema({ methods, options }: BodySchemaContext, name: string): boolean {
  const { takesAllBodySchemas } = options.conventions
  return (takesAllBodySchemas || bodySchemaMethods.includes(name)) && methods.find(name)?.body !== 'never'
}

/**
 * The methods on which a body schema can be declared. On other methods it is an error, so that no schema is silently ignored.
 * `alcove/fastify` takes it on all whose bodies are read.
 */
export const bodySchemaMethods: readonly string[] = ['PATCH', 'POST', 'PUT']
