import { Plugin, type ServerOptions } from 'alcove'
import { docsPage } from 'alcove/contract'
import { AuthorsPlugin } from './authors/authors.plugin.js'
import { Books } from './books/books.js'
import { BooksPlugin } from './books/books.plugin.js'
import { Settings } from './settings.js'

@Plugin({
  errorFormat: 'problem',
  schemaController: { coerceBodies: false },
  providers: [Settings, Books],
  imports: [docsPage({ info: { title: 'Bookshelf', version: '1.0.0' } }), BooksPlugin, AuthorsPlugin],
})
export class App {}

/** The options of the server, which are needed before the application exists. */
export function serverOptions({ LOG_LEVEL }: Settings): ServerOptions {
  return { logger: { level: LOG_LEVEL } }
}
