import { Controller, Delete, Get, Injectable, partial, Patch, Post, ref, type RouteRequest } from 'alcove'
import { NoSuchBook } from './book.errors.js'
import { Book, byId, NewBook } from './book.models.js'
import { Books } from './books.js'

const list = {
  querystring: { type: 'object', properties: { author: { type: 'string' } } },
  response: { 200: { type: 'array', items: ref(Book) } },
} as const
const find = { params: byId, response: { 200: ref(Book) } } as const
const create = { body: ref(NewBook), response: { 201: ref(Book) } } as const
const change = { params: byId, body: partial(NewBook), response: { 200: ref(Book) } } as const
const remove = { params: byId } as const

@Injectable()
@Controller('/books')
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

  @Post({ status: 201 }, create)
  create({ body }: RouteRequest<typeof create>) {
    return this.books.create(body)
  }

  @Patch({ path: '/:id', throws: [NoSuchBook] }, change)
  change({ params, body }: RouteRequest<typeof change>) {
    return this.books.change(params.id, body)
  }

  @Delete({ path: '/:id', status: 204, throws: [NoSuchBook] }, remove)
  remove({ params }: RouteRequest<typeof remove>) {
    return this.books.remove(params.id)
  }
}
