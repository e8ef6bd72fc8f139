/** The routes that change books, behind a guard. */
// #region plugin
import { Controller, Delete, Injectable, partial, Patch, Plugin, Post, ref, type RouteRequest } from 'alcove'
import { RequireKey } from '../auth/require-key.js'
import { NoSuchBook } from './book.errors.js'
import { Book, byId, NewBook } from './book.models.js'
import { Books } from './books.js'
// #endregion

const create = { body: ref(NewBook), response: { 201: ref(Book) } } as const
const change = { params: byId, body: partial(NewBook), response: { 200: ref(Book) } } as const
const remove = { params: byId } as const

@Injectable()
@Controller('/books')
export class EditingController {
  constructor(private readonly books: Books) {}

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

// #region plugin
@Plugin({ hooks: { onRequest: RequireKey }, routes: [EditingController] })
export class EditingPlugin {}
// #endregion
