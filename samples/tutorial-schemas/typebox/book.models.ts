import { Model, omit } from 'alcove'
import { Type } from 'typebox'

export const byId = Type.Object({ id: Type.Integer({ minimum: 1 }) })

export class Book extends Model(
  Type.Object(
    {
      id: Type.Integer(),
      title: Type.String({ minLength: 1, maxLength: 200 }),
      author: Type.String({ minLength: 1, maxLength: 200 }),
      year: Type.Integer({ minimum: 0, maximum: 2100 }),
    },
    { $id: 'Book' },
  ),
) {}

export class NewBook extends Model(omit(Book, 'id'), { $id: 'NewBook', additionalProperties: false }) {}
