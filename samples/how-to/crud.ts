/** The code of docs/how-to/crud.md and docs/how-to/test.md: notes are listed in pages, created, replaced, changed and deleted. */
// #region models
import { httpError, Model, omit, partial, ref } from 'alcove'

export class Note extends Model({
  $id: 'Note',
  type: 'object',
  required: ['id', 'title', 'isDone'],
  additionalProperties: false,
  properties: {
    id: { type: 'integer' },
    title: { type: 'string', minLength: 1, maxLength: 200 },
    isDone: { type: 'boolean' },
  },
}) {}

/** A note without its id: the body of POST and PUT. */
export class NoteFields extends Model(omit(Note, 'id'), { $id: 'NoteFields' }) {}

export class NoSuchNote extends httpError(404, {}, { message: 'There is no such note' }) {}
// #endregion

// #region repository
export class Notes {
  readonly #notes = new Map<number, Note>()
  #lastId = 0

  /** The notes whose ids come after `after`, in the order of their ids: at most `limit`. */
  async list(after: number, limit: number): Promise<Note[]> {
    return [...this.#notes.values()].filter(({ id }) => id > after).slice(0, limit)
  }
  async find(id: number): Promise<Note> {
    const note = this.#notes.get(id)
    if (note === undefined) throw new NoSuchNote()
    return note
  }
  async create(fields: NoteFields): Promise<Note> {
    this.#lastId += 1
    return this.#set(this.#lastId, fields)
  }
  /** Replaces all fields, or some. */
  async change(id: number, fields: Partial<NoteFields>): Promise<Note> {
    const { title, isDone } = await this.find(id)
    return this.#set(id, { title, isDone, ...fields })
  }
  async delete(id: number): Promise<void> {
    if (!this.#notes.delete(id)) throw new NoSuchNote()
  }

  #set(id: number, { title, isDone }: NoteFields): Note {
    const note = new Note({ id, title, isDone })
    this.#notes.set(id, note)
    return note
  }
}
// #endregion

// #region controller
import { arrayOf, Controller, Delete, Get, Injectable, Patch, Plugin, Post, Put, type RouteRequest } from 'alcove'

const params = { type: 'object', required: ['id'], properties: { id: { type: 'integer', minimum: 1 } } } as const
const list = {
  querystring: { after: { type: 'integer', default: 0 }, limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
  response: {
    200: {
      type: 'object',
      required: ['notes'],
      properties: { notes: arrayOf(Note), next: { type: 'integer', description: 'for `after` of the next page' } },
    },
  },
} as const
const find = { params, response: { 200: ref(Note) } } as const
const create = { body: ref(NoteFields), response: { 201: ref(Note) } } as const
const replace = { params, body: ref(NoteFields), response: { 200: ref(Note) } } as const
const change = { params, body: partial(NoteFields), response: { 200: ref(Note) } } as const
const remove = { params, response: { 204: { type: 'null', description: 'It is deleted' } } } as const

@Injectable()
@Controller('/notes', { throws: [NoSuchNote] })
export class NotesController {
  constructor(private readonly notes: Notes) {}

  @Get('', list)
  async list({ query }: RouteRequest<typeof list>) {
    const notes = await this.notes.list(query.after, query.limit + 1)
    const page = notes.slice(0, query.limit)
    return { notes: page, ...(notes.length > page.length && { next: page.at(-1)!.id }) }
  }

  @Get('/:id', find)
  find({ params }: RouteRequest<typeof find>) {
    return this.notes.find(params.id)
  }

  @Post({ status: 201 }, create)
  create({ body }: RouteRequest<typeof create>) {
    return this.notes.create(body)
  }

  @Put('/:id', replace)
  replace({ params, body }: RouteRequest<typeof replace>) {
    return this.notes.change(params.id, body)
  }

  @Patch('/:id', change)
  change({ params, body }: RouteRequest<typeof change>) {
    return this.notes.change(params.id, body)
  }

  @Delete({ path: '/:id', status: 204 }, remove)
  async remove({ params }: RouteRequest<typeof remove>) {
    await this.notes.delete(params.id)
  }
}

@Plugin({ providers: [Notes], routes: [NotesController] })
export class NotesPlugin {}

@Plugin({ imports: [NotesPlugin] })
export class App {}
// #endregion
