import { Controller, Get, Injectable, Plugin } from 'alcove'
import { Books } from '../books/books.js'

const list = { response: { 200: { type: 'array', items: { type: 'string' } } } } as const

@Injectable()
@Controller('/authors')
export class AuthorsController {
  constructor(private readonly books: Books) {}

  @Get('', list)
  list() {
    return this.books.authors()
  }
}

@Plugin({ routes: [AuthorsController] })
export class AuthorsPlugin {}
