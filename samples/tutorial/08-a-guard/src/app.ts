import { Plugin, type ServerOptions } from 'alcove'
import { docsPage } from 'alcove/contract'
import { AuthorsPlugin } from './authors/authors.plugin.js'
import { Books } from './books/books.js'
import { BooksPlugin } from './books/books.plugin.js'
import { databaseProvider } from './database/database.js'
import { Settings } from './settings.js'

@Plugin({
  errorFormat: 'problem',
  schemaController: { coerceBodies: false },
  providers: [Settings, databaseProvider, Books],
  imports: [docsPage({ info: { title: 'Bookshelf', version: '1.0.0' } }), BooksPlugin, AuthorsPlugin],
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
