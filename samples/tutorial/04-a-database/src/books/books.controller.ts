import { Controller, Delete, Get, Injectable, partial, Patch, Post, ref, type RouteRequest } from 'alcove'
import { Book, byId, NewBook, NoSuchBook, text } from './book.models.js'
import { Books } from './books.js'

// #region schemas
const list = {
  querystring: { type: 'object', properties: { author: text } },
  response: { 200: { type: 'array', items: ref(Book) } },
} as const
const find = { params: byId, response: { 200: ref(Book) } } as const
const create = { body: ref(NewBook), response: { 201: ref(Book) } } as const
const change = { params: byId, body: partial(NewBook), response: { 200: ref(Book) } } as const
const remove = { params: byId } as const
// #endregion

@Injectable()
@Controller('/books')
export class BooksController {
  constructor(private readonly books: Books) {}

  // #region list
  @Get('', list)
  list({ query }: RouteRequest<typeof list>) {
    return this.books.list(query.author)
  }
  // #endregion

  // #region find
  @Get({ path: '/:id', throws: [NoSuchBook] }, find)
  find({ params }: RouteRequest<typeof find>) {
    return this.books.find(params.id)
  }
  // #endregion

  // #region changes
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
  // #endregion
}
