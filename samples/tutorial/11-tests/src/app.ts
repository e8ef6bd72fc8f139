import { Plugin, type ServerOptions } from 'alcove'
// #region document
import { docsPage, type OpenApiOptions } from 'alcove/contract'
// #endregion
import { AuthPlugin } from './auth/auth.plugin.js'
import { AuthorsPlugin } from './authors/authors.plugin.js'
import { Books } from './books/books.js'
import { BooksPlugin } from './books/books.plugin.js'
import { databaseProvider } from './database/database.js'
import { Settings } from './settings.js'
import { UsersPlugin } from './users/users.plugin.js'

// #region document
/** For the page at /docs, and for `alcove openapi`, which finds it by its name. */
export const document = {
  info: { title: 'Bookshelf', version: '1.0.0', description: 'Register, log in, and authorize with the token.' },
} satisfies OpenApiOptions
// #endregion

@Plugin({
  errorFormat: 'problem',
  schemaController: { coerceBodies: false },
  providers: [Settings, databaseProvider, Books],
  imports: [docsPage(document), AuthPlugin, UsersPlugin, BooksPlugin, AuthorsPlugin],
})
export class App {}

/** What does not depend on the settings; `alcove explain` finds it by its name. */
export const options = {
  // ms; none, as migrations may take long.
  pluginTimeout: 0,
} satisfies ServerOptions

/** The options of the server, which are needed before the application exists. */
export function serverOptions({ LOG_LEVEL }: Settings): ServerOptions {
  return { ...options, logger: { level: LOG_LEVEL } }
}
