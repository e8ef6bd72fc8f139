/** The HTTP methods: one table of what is known about each. */
import type { HttpMethod } from '../types/route.js'

interface MethodFacts {
  /**
   * Whether the body of a request is read. `always`: a body without a media type is refused. `typed`: only a body with a media type is
   * read. `never`: the body stays in `request.raw` for the handler (bodies of WebDAV are XML).
   */
  readonly body: 'always' | 'typed' | 'never'
  /** Whether a body schema can be declared. On other methods it is an error, so that no schema is silently ignored. */
  readonly hasBodySchema: boolean
}

/** The methods that routes can have. */
const methodFacts: Readonly<Record<HttpMethod, MethodFacts>> = {
  DELETE: { body: 'typed', hasBodySchema: false },
  GET: { body: 'never', hasBodySchema: false },
  HEAD: { body: 'never', hasBodySchema: false },
  PATCH: { body: 'always', hasBodySchema: true },
  POST: { body: 'always', hasBodySchema: true },
  PUT: { body: 'always', hasBodySchema: true },
  OPTIONS: { body: 'typed', hasBodySchema: false },
  PROPFIND: { body: 'never', hasBodySchema: false },
  PROPPATCH: { body: 'never', hasBodySchema: false },
  MKCOL: { body: 'never', hasBodySchema: false },
  COPY: { body: 'never', hasBodySchema: false },
  MOVE: { body: 'never', hasBodySchema: false },
  LOCK: { body: 'never', hasBodySchema: false },
  UNLOCK: { body: 'never', hasBodySchema: false },
  TRACE: { body: 'always', hasBodySchema: false },
  SEARCH: { body: 'always', hasBodySchema: false },
}

/** The methods that routes can have, in capitals. */
export const httpMethods = Object.keys(methodFacts) as readonly HttpMethod[]

/** The methods on which a body schema can be declared. */
export const bodySchemaMethods: readonly string[] = httpMethods.filter((method) => methodFacts[method].hasBodySchema)

/** How the body of a request is read, by method; `undefined` for a method that no route can have. */
export const bodyReading: { readonly [method: string]: MethodFacts['body'] | undefined } = Object.fromEntries(
  httpMethods.map((method) => [method, methodFacts[method].body]),
)
