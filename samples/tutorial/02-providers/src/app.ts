import { Plugin } from 'alcove'
import { docsPage } from 'alcove/contract'
import { BooksController } from './books/books.controller.js'
import { Books } from './books/books.js'

@Plugin({
  providers: [Books],
  imports: [docsPage({ info: { title: 'Bookshelf', version: '1.0.0' } })],
  routes: [BooksController],
})
export class App {}
