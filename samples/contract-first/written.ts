/** The same route with a handler: the compiler holds what it returns against the contract. */
import { Controller, Get, HttpError, Plugin, ref, type RouteRequest } from 'alcove'
import { Failure, Note } from './src/models.js'

export class Notes {
  readonly #texts = new Map([[1, 'Buy milk']])

  find(id: number): string | undefined {
    return this.#texts.get(id)
  }
}

const findNote = {
  params: { type: 'object', required: ['noteId'], properties: { noteId: { type: 'integer', minimum: 1 } } },
  response: {
    200: { description: 'The note', content: { 'application/json': { schema: ref(Note) } } },
    404: { description: 'No such note', content: { 'application/json': { schema: ref(Failure) } } },
  },
} as const

// #region handler
@Controller('/notes', { docs: { tags: ['notes'] } })
export class NotesController {
  constructor(private readonly notes: Notes) {}

  /** GET /notes/{noteId} */
  @Get({ path: '/:noteId', docs: { operationId: 'findNote' } }, findNote)
  findNote({ params }: RouteRequest<typeof findNote>) {
    const text = this.notes.find(params.noteId)
    if (text === undefined) throw new HttpError(404, 'No such note')
    return { id: params.noteId, text }
  }
}
// #endregion

@Plugin({ schemas: [Note, Failure], providers: [Notes], routes: [NotesController] })
export class App {}
