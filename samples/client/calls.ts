/** How does another program call the routes? By the type of a class, and a table of its routes. */
// #region class
import { client, type ClientOptions, ReplyError } from 'alcove/client'
import type { GreetingsController } from '../first/app.js'
import { routes } from './routes.js'

/** `import type` leaves nothing of the server behind; `routes` is plain data that `alcove client --routes` has written. */
export async function greet(baseUrl: string): Promise<string[]> {
  const greetings = client<GreetingsController>(routes.GreetingsController, { baseUrl })
  const lines: string[] = []

  const reply = await greetings.find({ params: { id: 7 } })
  if (reply.status === 200) lines.push(`Hello, ${reply.body.name}`)
  else lines.push(`${reply.status}: ${reply.body.message}`)

  const { id } = await greetings.add({ body: { name: 'Ada' } }).expect(201)
  lines.push(`Ada is number ${id}`)
  return lines
}
// #endregion

// #region expect
/** Without a union: `expect` resolves to the body, and rejects if the reply is another one. */
export async function nameOf(id: number, options: ClientOptions): Promise<string> {
  try {
    const greeting = await client<GreetingsController>(routes.GreetingsController, options).find({ params: { id } }).expect(200)
    return greeting.name
  } catch (error) {
    // GET /greetings/:id was answered 404: No such greeting
    if (error instanceof ReplyError && error.status === 404) return error.message
    throw error
  }
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
