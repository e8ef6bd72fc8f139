import { Model, omit } from 'alcove'

export const byId = { type: 'object', required: ['id'], properties: { id: { type: 'integer', minimum: 1 } } } as const

export class Book extends Model({
  $id: 'Book',
  type: 'object',
  required: ['id', 'title', 'author', 'year'],
  properties: {
    id: { type: 'integer' },
    title: { type: 'string', minLength: 1, maxLength: 200 },
    author: { type: 'string', minLength: 1, maxLength: 200 },
    year: { type: 'integer', minimum: 0, maximum: 2100 },
  },
}) {}

export class NewBook extends Model(omit(Book, 'id'), { $id: 'NewBook', additionalProperties: false }) {}
