/** How does a page without its server answer in tests? By `alcove client --msw --out client.ts`. */
// #region mocks
import { handlers, type MswHttp } from './client.js'

/** `setupServer(...greetingHandlers(http))` in Node and `setupWorker(...greetingHandlers(http))` in browsers, with `http` of msw. */
export function greetingHandlers<Handler>(http: MswHttp<Handler>): Handler[] {
  const { greetings } = handlers(http, { baseUrl: 'https://api.example.com' })
  return [
    greetings.find(({ params }) => ({ status: 200, body: { id: Number(params.id), name: 'Ada' } })),
    greetings.add(({ body }) =>
      body.name === '' ? Response.json({ message: 'No name' }, { status: 422 }) : { status: 201, body: { id: 1, name: body.name } },
    ),
  ]
}
// #endregion
