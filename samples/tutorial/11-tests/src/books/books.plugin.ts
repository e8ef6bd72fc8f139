import { Plugin } from 'alcove'
import { BooksController } from './books.controller.js'
import { EditingPlugin } from './editing.plugin.js'

@Plugin({ routes: [BooksController], imports: [EditingPlugin] })
export class BooksPlugin {}
