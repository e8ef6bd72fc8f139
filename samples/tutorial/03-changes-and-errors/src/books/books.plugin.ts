import { Plugin } from 'alcove'
import { Book, NewBook } from './book.models.js'
import { BooksController } from './books.controller.js'

// #region plugin
@Plugin({ schemas: [Book, NewBook], routes: [BooksController] })
export class BooksPlugin {}
// #endregion
