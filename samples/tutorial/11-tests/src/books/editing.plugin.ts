/** The routes that change books, behind a guard. */
import { Controller, Delete, Hook, Injectable, partial, Patch, Plugin, Post, ref, type RouteRequest } from 'alcove'
import { CurrentUser, RequireUser } from '../auth/auth.plugin.js'
import { NoSuchBook, NotTheOwner } from './book.errors.js'
import { Book, byId, NewBook } from './book.models.js'
import { Books } from './books.js'

const create = { body: ref(NewBook), response: { 201: ref(Book) } } as const
const change = { params: byId, body: partial(NewBook), response: { 200: ref(Book) } } as const
const remove = { params: byId } as const

/** Lets the owner of a book pass. It runs after {@link RequireUser}, and after the parameters are validated. */
@Injectable()
class RequireOwner {
  static readonly requires = [CurrentUser] as const
  static readonly throws = [NoSuchBook, NotTheOwner] as const
  constructor(private readonly books: Books) {}

  async preHandler({ params, user }: RouteRequest<typeof remove, [typeof CurrentUser]>): Promise<void> {
    if ((await this.books.ownerOf(params.id)) !== user.id) throw new NotTheOwner()
  }
}

@Injectable()
@Controller('/books', { docs: { tags: ['books'] } })
export class EditingController {
  constructor(private readonly books: Books) {}

  @Post({ status: 201 }, create)
  create({ body, user }: RouteRequest<typeof create, [typeof CurrentUser]>) {
    return this.books.create(user.id, body)
  }

  @Patch('/:id', change)
  @Hook('preHandler', RequireOwner)
  change({ params, body }: RouteRequest<typeof change>) {
    return this.books.change(params.id, body)
  }

  @Delete({ path: '/:id', status: 204 }, remove)
  @Hook('preHandler', RequireOwner)
  remove({ params }: RouteRequest<typeof remove>) {
    return this.books.remove(params.id)
  }
}

@Plugin({ requires: [CurrentUser], hooks: { onRequest: RequireUser }, routes: [EditingController] })
export class EditingPlugin {}
