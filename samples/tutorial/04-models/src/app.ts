import { Plugin } from 'alcove'
import { docsPage } from 'alcove/contract'
import { AuthorsPlugin } from './authors/authors.plugin.js'
import { Books } from './books/books.js'
import { BooksPlugin } from './books/books.plugin.js'

@Plugin({
  schemaController: { coerceBodies: false },
  providers: [Books],
  imports: [docsPage({ info: { title: 'Bookshelf', version: '1.0.0' } }), BooksPlugin, AuthorsPlugin],
})
export class App {}
