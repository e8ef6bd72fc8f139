import { Controller, Get, HttpError, Plugin, type RouteRequest } from 'alcove'
import { docsPage } from 'alcove/contract'
import { find } from './books/book.schemas.js'

const books = [
  { id: 1, title: 'Kindred', author: 'Octavia E. Butler', year: 1979, price: 12 },
  { id: 2, title: 'The Dispossessed', author: 'Ursula K. Le Guin', year: 1974, price: 9 },
]

@Controller('/books')
export class BooksController {
  @Get('/:id', find)
  find({ params }: RouteRequest<typeof find>) {
    const book = books.find(({ id }) => id === params.id)
    if (book === undefined) throw new HttpError(404, 'There is no such book')
    return book
  }
}

@Plugin({ imports: [docsPage({ info: { title: 'Bookshelf', version: '1.0.0' } })], routes: [BooksController] })
export class App {}
