import { Model, omit } from 'alcove'

// PostgreSQL stores no NUL in a text.
export const text = { type: 'string', minLength: 1, maxLength: 200, pattern: String.raw`^[^\0]*$` } as const

// Larger than that, an id is not an integer of PostgreSQL.
const id = { type: 'integer', minimum: 1, maximum: 2_147_483_647 } as const
export const byId = { type: 'object', required: ['id'], properties: { id } } as const

export class Book extends Model({
  $id: 'Book',
  type: 'object',
  required: ['id', 'title', 'author', 'year'],
  properties: { id: { type: 'integer' }, title: text, author: text, year: { type: 'integer', minimum: 0, maximum: 2100 } },
}) {}

export class NewBook extends Model(omit(Book, 'id'), { $id: 'NewBook', additionalProperties: false }) {}
