/** How does another program call the routes? By the file that `alcove client --out client.ts` has written. */
// #region file
import { type ClientOptions, createClient, ReplyError } from './client.js'

export async function greet(baseUrl: string): Promise<string[]> {
  const api = createClient({ baseUrl })
  const lines: string[] = []

  const reply = await api.greetings.find({ params: { id: 7 } })
  if (reply.status === 200) lines.push(`Hello, ${reply.body.name}`)
  else if (reply.status === 404) lines.push(`${reply.status}: ${reply.body.message}`)

  const { id } = await api.greetings.add({ body: { name: 'Ada' } }).expect(201)
  lines.push(`Ada is number ${id}`)
  return lines
}
// #endregion

// #region expect
/** Without a union: `expect` resolves to the body, and rejects if the reply is another one. */
export async function nameOf(id: number, options: ClientOptions): Promise<string> {
  try {
    const greeting = await createClient(options).greetings.find({ params: { id } }).expect(200)
    return greeting.name
  } catch (error) {
    // GET /greetings/:id was answered 404: No such greeting
    if (error instanceof ReplyError && error.status === 404) return error.message
    throw error
  }
}
// #endregion

// #region errors
import { isServerError } from './client.js'

/** Every error of the server has `message`, and may have `code`. The page of a proxy has neither. */
export async function whyNot(id: number, options: ClientOptions): Promise<string> {
  const reply = await createClient(options).greetings.find({ params: { id } })
  if (reply.status === 200) return 'found'
  return isServerError(reply) ? `${reply.status} ${reply.body.code ?? ''} ${reply.body.message}` : `${reply.status}, not from the server`
}
// #endregion

// #region url
/** The URL of a route, for links, images and `EventSource`. It is encoded like the URL of a call. */
export function linkTo(id: number, baseUrl: string): string {
  return createClient({ baseUrl }).greetings.find.url({ params: { id } })
}
// #endregion

// #region some
import { bindRoutes, greetingsFindRoute } from './client.js'

/** Only `find` is in the bundle. */
export function finderOf(options: ClientOptions) {
  return bindRoutes({ greetings: { find: greetingsFindRoute } }, options)
}
// #endregion

// #region options
export const options: ClientOptions = {
  baseUrl: 'https://api.example.com',
  headers: () => ({ authorization: `Bearer ${currentToken()}` }),
  timeout: 5000,
  retries: 2,
  interceptors: [
    async (request, next) => {
      const started = performance.now()
      const response = await next(request)
      console.log(request.method, request.url, response.status, performance.now() - started)
      return response
    },
  ],
}
// #endregion

function currentToken(): string {
  return 'abc'
}
