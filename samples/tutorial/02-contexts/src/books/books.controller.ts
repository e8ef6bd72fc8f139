import { Controller, Get, HttpError, Injectable, type RouteRequest } from 'alcove'
import { Books } from './books.js'

const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer', minimum: 1 } } },
  response: {
    200: {
      type: 'object',
      required: ['id', 'title', 'author', 'year'],
      properties: {
        id: { type: 'integer' },
        title: { type: 'string' },
        author: { type: 'string' },
        year: { type: 'integer' },
      },
    },
  },
} as const

// #region controller
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
// #endregion
