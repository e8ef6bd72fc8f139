/**
 * Makes options of TanStack Query for the routes of a client, as plain objects, so no package is imported. `alcove client --tanstack`
 * copies this module into the client file, after runtime.ts.
 */
import type { Call, CallOptions, StatusOf } from './runtime.js'

/**
 * The data of a query or mutation: the union of the bodies of the success replies that the route declares. TanStack Query allows no
 * `undefined`, so the data of a reply without a body is `null`.
 */
type DataOf<Reply> = [Declared<Reply>] extends [never] ? unknown : Exclude<Declared<Reply>, undefined> | NullIf<Declared<Reply>>
type Declared<Reply> = Reply extends { readonly status: infer Status; readonly body: infer Body }
  ? [Status & StatusOf<2>] extends [never]
    ? never
    : unknown extends Body
      ? never
      : Body
  : never
type NullIf<Body> = undefined extends Body ? null : never

/** The params, query, headers and body of a call, without its options, which are not in the key of a query. */
type PartsOf<Arguments> = Arguments extends [parts?: infer Parts] ? (Parts extends object ? Omit<Parts, keyof CallOptions> : never) : never

/** The options of a query, for `useQuery`, `useSuspenseQuery`, `fetchQuery`, `prefetchQuery` and `ensureQueryData`. */
export interface QueryOptions<Data> {
  /**
   * The key of the query: the group and the name of the route, then the arguments of the call: `['users', 'find', { params: { id: 7 } }]`.
   */
  readonly queryKey: readonly unknown[]
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Data>
}

/** The options of a mutation, for `useMutation`. */
export interface MutationOptions<Parts, Data> {
  readonly mutationKey: readonly string[]
  readonly mutationFn: (parts: Parts) => Promise<Data>
}

/** A function for each route that makes the options of a query, under the names of the routes in the client. */
export type Queries<Routes> = {
  readonly [Name in keyof Routes]: Routes[Name] extends (...parts: infer Arguments) => Call<infer Reply>
    ? (...parts: {} extends PartsOf<Arguments> ? [parts?: PartsOf<Arguments>] : [parts: PartsOf<Arguments>]) => QueryOptions<DataOf<Reply>>
    : Queries<Routes[Name]>
}

/** A function for each route that makes the options of a mutation, under the names of the routes in the client. */
export type Mutations<Routes> = {
  readonly [Name in keyof Routes]: Routes[Name] extends (...parts: infer Arguments) => Call<infer Reply>
    ? () => MutationOptions<PartsOf<Arguments> | ({} extends PartsOf<Arguments> ? void : never), DataOf<Reply>>
    : Mutations<Routes[Name]>
}

/**
 * Makes the options of queries: `useQuery(queries(api).users.find({ params: { id: 7 } }))`. A key begins with the group, so
 * `invalidateQueries({ queryKey: ['users'] })` invalidates all queries of the group. If a reply has no success status, the query rejects
 * with a `ReplyError`. If a query is cancelled, its request is aborted.
 */
export function queries<Routes extends object>(api: Routes): Queries<Routes> {
  return mapRoutes(api, [], (call, key) => (parts?: object) => ({
    queryKey: parts ? [...key, parts] : key,
    queryFn: ({ signal }: { signal: AbortSignal }) => dataOf(call({ ...parts, signal })),
  }))
}

/** Makes the options of mutations: `useMutation(mutations(api).users.add())`, whose `mutate` takes the arguments of the call. */
export function mutations<Routes extends object>(api: Routes): Mutations<Routes> {
  return mapRoutes(api, [], (call, key) => () => ({ mutationKey: key, mutationFn: (parts?: object) => dataOf(call(parts)) }))
}

type AnyCall = (parts?: object) => { expect(): Promise<unknown> }

async function dataOf(call: ReturnType<AnyCall>): Promise<unknown> {
  return (await call.expect()) ?? null
}

function mapRoutes(routes: object, path: readonly string[], make: (call: AnyCall, key: readonly string[]) => unknown): any {
  const map = ([name, entry]: [string, any]): [string, unknown] => {
    const key = [...path, name]
    return [name, typeof entry === 'function' ? make(entry, key) : mapRoutes(entry, key, make)]
  }
  return Object.fromEntries(Object.entries(routes).map(map))
}
