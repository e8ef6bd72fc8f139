import { Plugin } from 'alcove'
import { AuthorsPlugin } from './authors/authors.plugin.js'
import { Books } from './books/books.js'
import { BooksPlugin } from './books/books.plugin.js'

// #region app
@Plugin({ errorFormat: 'problem', schemaController: { coerceBodies: false }, providers: [Books], imports: [BooksPlugin, AuthorsPlugin] })
export class App {}
// #endregion
