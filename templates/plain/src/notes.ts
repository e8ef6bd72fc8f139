import { arrayOf, Controller, Get, Hook, httpError, Model, omit, Post, ref, type Request, type RouteRequest } from 'alcove'

export class Note extends Model({
  $id: 'Note',
  type: 'object',
  required: ['id', 'text'],
  properties: { id: { type: 'integer' }, text: { type: 'string', minLength: 1 } },
}) {}

export class Notes {
  readonly #all: Note[] = []

  list(): Note[] {
    return this.#all
  }

  add(text: string): Note {
    const note = new Note({ id: this.#all.length + 1, text })
    this.#all.push(note)
    return note
  }
}

export class NobodyKnown extends httpError(401, {}, { message: 'Say who you are' }) {}

export class RequireUser {
  static readonly throws = [NobodyKnown] as const

  onRequest(request: Request): void {
    if (request.headers['x-user'] === undefined) throw new NobodyKnown()
  }
}

const list = { response: { 200: arrayOf(Note) } }
const add = { body: omit(Note, 'id'), response: { 201: ref(Note) } }

export class NotesController {
  static {
    Controller('/notes')(this)
    Get('', list)(this.prototype, 'list')
    Post({ status: 201 }, add)(this.prototype, 'add')
    Hook('onRequest', RequireUser)(this.prototype, 'add')
  }

  static readonly inject = [Notes] as const
  readonly #notes: Notes

  constructor(notes: Notes) {
    this.#notes = notes
  }

  list() {
    return this.#notes.list()
  }

  add({ body }: RouteRequest<typeof add>) {
    return this.#notes.add(body.text)
  }
}
