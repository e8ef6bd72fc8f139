import { Plugin } from 'alcove'
import { BooksController } from './books.controller.js'

// #region plugin
@Plugin({ routes: [BooksController] })
export class BooksPlugin {}
// #endregion
