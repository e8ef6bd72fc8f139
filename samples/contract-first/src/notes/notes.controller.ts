import { Controller, Get, Hook, HttpError, Post, ref, type RouteRequest } from 'alcove'
import { RequireToken } from '../guards.js'
import { Failure, NewNote, Note } from '../models.js'

const addNote = {
  body: ref(NewNote),
  response: { 201: { description: 'The note', content: { 'application/json': { schema: ref(Note) } } } },
} as const

const findNote = {
  params: { type: 'object', required: ['noteId'], properties: { noteId: { type: 'integer', minimum: 1 } } },
  response: {
    200: { description: 'The note', content: { 'application/json': { schema: ref(Note) } } },
    404: { description: 'No such note', content: { 'application/json': { schema: ref(Failure) } } },
  },
} as const

@Controller('/notes', { docs: { tags: ['notes'] } })
export class NotesController {
  /** POST /notes */
  @Post({ status: 201, docs: { operationId: 'addNote' } }, addNote)
  @Hook('onRequest', RequireToken)
  addNote(_request: RouteRequest<typeof addNote>): never {
    throw new HttpError(501, 'addNote is left to write')
  }

  /** GET /notes/{noteId} */
  @Get({ path: '/:noteId', docs: { operationId: 'findNote' } }, findNote)
  findNote(_request: RouteRequest<typeof findNote>): never {
    throw new HttpError(501, 'findNote is left to write')
  }
}
