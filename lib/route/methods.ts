/** The HTTP methods: one table of the facts about each. */
import { ContextMethods, type MethodFacts } from '../context/context-methods.js'
import type { Conventions } from '../context/conventions.js'
import { errorCodes } from '../errors/codes.js'
import type { KnownMethod } from '../types/route.js'
import { METHODS } from '../util/node/modules.js'

/**
 * The HTTP methods that routes of every server can have, with their facts. Bodies of WebDAV's methods are XML, for which there is no
 * parser.
 */
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

/**
 * The HTTP methods, in capitals, for which every server has a member such as `server.get`. Older versions of Node lack QUERY: routes with
 * QUERY are refused there.
 */
export const shorthandMethods = (Object.keys(methodFacts) as KnownMethod[]).filter((name) => methodFacts[name].hasShorthand)

/** The HTTP methods, in capitals, that routes of every server can have: all methods of the table of this file that Node's parser knows. */
export const httpMethods: readonly KnownMethod[] = (Object.keys(methodFacts) as KnownMethod[]).filter((name) => METHODS.includes(name))

/** The HTTP methods that `addHttpMethod` can add. CONNECT is left out, because Node never emits it as a request. */
export const addableMethods: readonly string[] = METHODS.filter((name) => name !== 'CONNECT')

/** Makes the HTTP methods of a root context. */
export function createRootMethods(): ContextMethods {
  return new ContextMethods(new Map(httpMethods.map((name) => [name, methodFacts[name]])))
}

/**
 * Adds an HTTP method to a context, or changes whether the body of the method is read.
 * @throws ALC_ERR_ROUTE_METHOD_INVALID if Node's parser does not know the method
 */
export function addMethod(methods: ContextMethods, name: string, hasBody: boolean): void {
  if (!addableMethods.includes(name)) throw new errorCodes.ALC_ERR_ROUTE_METHOD_INVALID(`'${name}' is none of ${addableMethods.join(', ')}`)
  const readsBody = name === 'QUERY' ? 'required' : 'always'
  methods.add(name, { body: hasBody ? readsBody : 'never', hasShorthand: true })
}

/** The fields of a context that decide which HTTP methods take a body schema. */
export interface BodySchemaContext {
  readonly methods: ContextMethods
  readonly options: { readonly conventions: Pick<Conventions, 'takesAllBodySchemas'> }
}

/** Whether routes of an HTTP method can have a body schema in a context. Only methods whose body is read can have one. */
export function takesBodySchema({ methods, options }: BodySchemaContext, name: string): boolean {
  const { takesAllBodySchemas } = options.conventions
  return (takesAllBodySchemas || bodySchemaMethods.includes(name)) && methods.find(name)?.body !== 'never'
}

/**
 * The HTTP methods on which a body schema can be declared. On other methods it is an error, so that no schema is silently ignored.
 * `alcove/fastify` takes a body schema on all methods whose bodies are read.
 */
export const bodySchemaMethods: readonly string[] = ['PATCH', 'POST', 'PUT']
