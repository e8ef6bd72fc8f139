import { z } from 'zod'

/** What `GET /books/:id` takes and sends. */
export const find = {
  params: z.object({ id: z.int().min(1) }),
  response: { 200: z.object({ id: z.int(), title: z.string(), author: z.string(), year: z.int() }) },
}
