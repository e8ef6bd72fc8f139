import { Plugin } from 'alcove'
import { BooksController } from './books.controller.js'

@Plugin({ routes: [BooksController] })
export class BooksPlugin {}
