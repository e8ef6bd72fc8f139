import { Plugin } from 'alcove'
import { BooksController } from './books.controller.js'
import { EditingPlugin } from './editing.plugin.js'

// #region plugin
@Plugin({ routes: [BooksController], imports: [EditingPlugin] })
export class BooksPlugin {}
// #endregion
