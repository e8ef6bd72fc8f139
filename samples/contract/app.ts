/** What does a route answer? The replies of guards, plugins and the framework, beside those of its own schema. */
import { Controller, Get, Post, ref, type RouteRequest } from 'alcove'

// #region guard
import { HttpError, Model, type Request, type SecuritySchemes } from 'alcove'

class Problem extends Model({
  $id: 'Problem',
  type: 'object',
  required: ['statusCode', 'error', 'message'],
  properties: { statusCode: { type: 'integer' }, error: { type: 'string' }, message: { type: 'string' } },
}) {}

class RequireToken {
  static readonly responses = {
    401: { description: 'The token is missing or unknown', content: { 'application/json': { schema: Problem } } },
  }
  static readonly security = { bearer: { type: 'http', scheme: 'bearer' } } satisfies SecuritySchemes

  onRequest({ headers }: Request) {
    if (headers.authorization !== 'Bearer letmein') throw new HttpError(401, 'Send the token')
  }
}
// #endregion

const note = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } } as const
const find = { params: { id: { type: 'integer' } }, response: { 200: note, 404: ref(Problem) } } as const
const add = { body: note, response: { 201: note } } as const

@Controller('/notes', { docs: { tags: ['notes'] } })
class NotesController {
  @Get({ path: '/:id', docs: { summary: 'One note' } }, find)
  find({ params }: RouteRequest<typeof find>) {
    if (params.id !== 1) throw new HttpError(404, 'No such note')
    return { text: 'first' }
  }

  @Post({ status: 201 }, add)
  add({ body }: RouteRequest<typeof add>) {
    return body
  }
}

@Controller('/health')
class HealthController {
  @Get()
  check() {
    return 'well'
  }
}

// #region plugin
import { Plugin } from 'alcove'

@Plugin({ hooks: { onRequest: RequireToken }, routes: [NotesController] })
class NotesPlugin {}

@Plugin({ schemas: [Problem], imports: [NotesPlugin], routes: [HealthController], docs: { 'x-team': 'notes' } })
export class App {}
// #endregion

// #region describe
import { describe } from 'alcove/contract'

/** `GET /notes/:id (bearer): 200, 400, 401, 404, 503` */
export function listRoutes(): string[] {
  return describe(App)
    .routes.filter(({ isAutomatic }) => !isAutomatic)
    .map(({ methods, url, security, responses }) => {
      const schemes = security.flatMap((requirement) => Object.keys(requirement)).join(', ') || 'open'
      return `${methods.join(', ')} ${url} (${schemes}): ${Object.keys(responses).join(', ')}`
    })
}
// #endregion

// #region page
import { docsPage, type OpenApiOptions } from 'alcove/contract'

/** For the page, and for the command `alcove openapi`, which finds it by the name of this export. */
export const document = { info: { title: 'Notes', version: '1.0.0', description: 'Short texts' } } satisfies OpenApiOptions

@Plugin({ schemas: [Problem], imports: [docsPage(document), NotesPlugin] })
export class DocumentedApp {}
// #endregion

// #region openapi
import { openapi } from 'alcove/contract'

/** The operations by method and path: `GET /notes/{id}`. */
export function listOperations(): string[] {
  const { paths } = openapi(App, document)
  return Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))
}
// #endregion

/** For clients, which are typed by them. */
export type { HealthController, NotesController }
