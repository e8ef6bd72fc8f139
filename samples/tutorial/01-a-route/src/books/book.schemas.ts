/** What `GET /books/:id` takes and sends. */
export const find = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer', minimum: 1 } } },
  response: {
    200: {
      type: 'object',
      required: ['id', 'title', 'author', 'year'],
      properties: {
        id: { type: 'integer' },
        title: { type: 'string' },
        author: { type: 'string' },
        year: { type: 'integer' },
      },
    },
  },
} as const
