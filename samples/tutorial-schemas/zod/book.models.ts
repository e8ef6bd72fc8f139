import { Model, omit } from 'alcove'
import { z } from 'zod'

export const byId = z.object({ id: z.int().min(1) })

export class Book extends Model(
  z.object({
    id: z.int(),
    title: z.string().min(1).max(200),
    author: z.string().min(1).max(200),
    year: z.int().min(0).max(2100),
  }),
  { $id: 'Book' },
) {}

export class NewBook extends Model(omit(Book, 'id'), { $id: 'NewBook', additionalProperties: false }) {}
