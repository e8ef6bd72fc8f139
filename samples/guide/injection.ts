/** A class that asks for what it needs, for docs/guide/providers.md. */
// #region class
import { Controller, Get, HttpError, Plugin, type RouteRequest } from 'alcove'

export class Users {
  readonly #names = new Map([[1, 'Ada']])

  find(id: number): string | undefined {
    return this.#names.get(id)
  }
}

const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  response: { 200: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
} as const

@Controller('/users')
export class UsersController {
  constructor(private readonly users: Users) {}

  @Get('/:id', find)
  find({ params }: RouteRequest<typeof find>) {
    const name = this.users.find(params.id)
    if (name === undefined) throw new HttpError(404, 'There is no such user')
    return { name }
  }
}

@Plugin({ providers: [Users], routes: [UsersController] })
export class UsersPlugin {}
// #endregion
