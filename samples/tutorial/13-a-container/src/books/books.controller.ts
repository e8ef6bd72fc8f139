import { Controller, Get, Injectable, ref, type RouteRequest } from 'alcove'
import { NoSuchBook } from './book.errors.js'
import { Book, byId, text } from './book.models.js'
import { Books } from './books.js'

const list = {
  querystring: { type: 'object', properties: { author: text } },
  response: { 200: { type: 'array', items: ref(Book) } },
} as const
const find = { params: byId, response: { 200: ref(Book) } } as const

@Injectable()
@Controller('/books', { docs: { tags: ['books'] } })
export class BooksController {
  constructor(private readonly books: Books) {}

  @Get('', list)
  list({ query }: RouteRequest<typeof list>) {
    return this.books.list(query.author)
  }

  @Get({ path: '/:id', throws: [NoSuchBook] }, find)
  find({ params }: RouteRequest<typeof find>) {
    return this.books.find(params.id)
  }
}
