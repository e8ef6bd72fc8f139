import { Plugin } from 'alcove'
import { Book, NewBook } from './book.models.js'
import { BooksController } from './books.controller.js'
import { EditingPlugin } from './editing.plugin.js'

// #region plugin
@Plugin({ schemas: [Book, NewBook], routes: [BooksController], imports: [EditingPlugin] })
export class BooksPlugin {}
// #endregion
