import { Type } from 'typebox'

/** What `GET /books/:id` takes and sends. */
export const find = {
  params: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
  response: { 200: Type.Object({ id: Type.Integer(), title: Type.String(), author: Type.String(), year: Type.Integer() }) },
}
