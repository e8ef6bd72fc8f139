/** Clients whose types are those of the server's classes. */
import type { Client, ErrorPayload } from './method-types.js'
import { bindRoutes, type ClientOptions, type RouteEntry } from './runtime.js'

/** The routes of one class by the names of its methods, as `alcove client --routes` and `routeTable` write them. */
export interface ClassRoutes {
  readonly [method: string]: RouteEntry
}

/**
 * Makes a client of a controller or a route class: its methods, called over HTTP. Only the type of the class is imported, so nothing of the
 * server reaches the client; `routes` is plain data that `alcove client <file> --routes <out>` writes.
 * ```ts
 * const users = client<UsersController>(routes.UsersController, { baseUrl: 'https://api.example.com' })
 * const reply = await users.find({ params: { id: 7 } })
 * if (reply.status === 200) console.log(reply.body.name)
 * ```
 * A reply is a union by `status`: what the schemas of the method declare, and a branch with the payload `E` of other errors. A `Date` is the
 * text of the date.
 * @throws TypeError if a method is called that the table does not have
 */
export function client<C, E = ErrorPayload>(routes: ClassRoutes, options: ClientOptions): Client<C, E> {
  const methods = bindRoutes(routes, options)
  const proxy = new Proxy(methods, { get: (_target, name) => Reflect.get(methods, name) ?? missing(name, Object.keys(routes)) })
  return proxy as Client<C, E>
}

// A promise that resolves to a client asks for `then`, and tools that print one for symbols.
function missing(name: string | symbol, known: readonly string[]): undefined {
  if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined
  throw new TypeError(
    `The table of routes has no '${name}'; it has ${known.join(', ') || 'none'}. If the class has such a route, write the table again: alcove client <file> --routes <out>.`,
  )
}
