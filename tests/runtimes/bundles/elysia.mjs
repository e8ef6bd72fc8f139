import { Elysia, t } from 'elysia'
import { Users } from './users.mjs'

const user = t.Object({ id: t.Integer(), name: t.String() })

export const app = new Elysia()
  .decorate('users', new Users())
  .get('/users/:id', ({ params, users, status }) => users.find(params.id) ?? status(404, 'There is no such user'), {
    params: t.Object({ id: t.Integer() }),
    response: { 200: user, 404: t.String() },
  })
