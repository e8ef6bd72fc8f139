/** The code of docs/guide/schemas-of-libraries.md. */
// #region zod
import { Controller, Plugin, Post, type RouteRequest } from 'alcove'
import { z } from 'zod'

async function isFree(email: string): Promise<boolean> {
  return email !== 'ada@example.com'
}

const search = {
  querystring: z.object({ q: z.string().trim().min(2), page: z.number().default(1) }),
  body: z.object({ email: z.email().refine(isFree, 'is taken') }), // isFree is asynchronous
}

@Controller()
class SearchController {
  @Post('/search', search)
  search({ query, body }: RouteRequest<typeof search>) {
    return { q: query.q, page: query.page, email: body.email } // q is trimmed, page is there
  }
}
// #endregion

@Plugin({ routes: [SearchController] })
export class App {}
