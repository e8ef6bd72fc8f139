import { Controller, Get, HttpError, Injectable, type RouteRequest } from 'alcove'
import { find } from './book.schemas.js'
import { Books } from './books.js'

@Injectable()
@Controller('/books')
export class BooksController {
  constructor(private readonly books: Books) {}

  @Get('/:id', find)
  find({ params }: RouteRequest<typeof find>) {
    const book = this.books.find(params.id)
    if (book === undefined) throw new HttpError(404, 'There is no such book')
    return book
  }
}
