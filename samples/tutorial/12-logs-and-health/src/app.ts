// #region log
import { randomUUID } from 'node:crypto'
import { Hook, Plugin, type Reply, type Request, type ServerOptions } from 'alcove'
// #endregion
import { docsPage, type OpenApiOptions } from 'alcove/contract'
import { AuthPlugin } from './auth/auth.plugin.js'
import { AuthorsPlugin } from './authors/authors.plugin.js'
import { Books } from './books/books.js'
import { BooksPlugin } from './books/books.plugin.js'
import { databaseProvider } from './database/database.js'
import { HealthPlugin } from './health.js'
// #region log
import { Settings } from './settings.js'
// #endregion
import { UsersPlugin } from './users/users.plugin.js'

/** For the page at /docs, and for `alcove openapi`, which finds it by its name. */
export const document = {
  info: { title: 'Bookshelf', version: '1.0.0', description: 'Register, log in, and authorize with the token.' },
} satisfies OpenApiOptions

@Plugin({
  errorFormat: 'problem',
  schemaController: { coerceBodies: false },
  providers: [Settings, databaseProvider, Books],
  imports: [HealthPlugin, docsPage(document), AuthPlugin, UsersPlugin, BooksPlugin, AuthorsPlugin],
})
export class App {
  // #region log
  /** With this id, an operator finds the lines of a request in the log. */
  @Hook('onRequest')
  nameRequest(request: Request, reply: Reply): void {
    reply.header('x-request-id', request.id)
  }
  // #endregion
}

/** What does not depend on the settings; `alcove explain` finds it by its name. */
export const options = {
  // ms; none, as migrations may take long.
  pluginTimeout: 0,
} satisfies ServerOptions

// #region log
/** The options of the server, which are needed before the application exists. */
export function serverOptions({ LOG_LEVEL }: Settings): ServerOptions {
  return {
    ...options,
    logger: { level: LOG_LEVEL, redact: ['req.headers.authorization', 'req.headers.cookie', 'password', '*.password'] },
    genReqId: () => randomUUID(),
  }
}
// #endregion
