import { randomUUID } from 'node:crypto'
import { Controller, Get, httpError, Injectable, Model, Plugin, Post, ref, type Reply, type RouteRequest } from 'alcove'

export class Note extends Model({
  $id: 'Note',
  type: 'object',
  required: ['id', 'text', 'by'],
  properties: { id: { type: 'integer' }, text: { type: 'string' }, by: { type: 'string' } },
}) {}

class NotLoggedIn extends httpError(401, {}, { message: 'Log in first' }) {}

/** Who is logged in, by the value of the cookie. */
export class Sessions {
  readonly #names = new Map<string, string>()

  begin(name: string): string {
    const id = randomUUID()
    this.#names.set(id, name)
    return id
  }
  nameOf(id: string | undefined): string {
    const name = this.#names.get(id ?? '')
    if (name === undefined) throw new NotLoggedIn()
    return name
  }
}

const cookies = { session: { type: 'string' } } as const
const login = {
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } },
  response: { 200: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
} as const
const show = { cookies, response: { 200: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } } } as const
const list = { response: { 200: { type: 'array', items: ref(Note) } } } as const
const add = {
  cookies,
  body: { type: 'object', required: ['text'], properties: { text: { type: 'string', minLength: 1, maxLength: 100 } } },
  response: { 201: ref(Note) },
} as const

@Injectable()
@Controller('/session')
class SessionController {
  constructor(private readonly sessions: Sessions) {}

  @Post('', login)
  logIn({ body }: RouteRequest<typeof login>, reply: Reply) {
    // HttpOnly: no script reads it. SameSite=Lax: of the requests that other sites cause, only a GET that opens a page, such as a link, has it.
    // Add Secure if you use HTTPS.
    reply.header('set-cookie', `session=${this.sessions.begin(body.name)}; Path=/; HttpOnly; SameSite=Lax`)
    return { name: body.name }
  }

  @Get({ throws: [NotLoggedIn] }, show)
  show({ cookies }: RouteRequest<typeof show>) {
    return { name: this.sessions.nameOf(cookies.session) }
  }
}

@Injectable()
@Controller('/notes')
class NotesController {
  readonly #notes: Note[] = [new Note({ id: 1, text: 'Buy tea', by: 'ada' })]
  constructor(private readonly sessions: Sessions) {}

  @Get('', list)
  list() {
    return this.#notes
  }

  @Post({ status: 201, throws: [NotLoggedIn] }, add)
  add({ body, cookies }: RouteRequest<typeof add>) {
    const note = new Note({ id: this.#notes.length + 1, text: body.text, by: this.sessions.nameOf(cookies.session) })
    this.#notes.push(note)
    return note
  }
}

@Plugin({ prefix: '/api', schemas: [Note], providers: [Sessions], routes: [SessionController, NotesController] })
export class ApiPlugin {}

@Plugin({ imports: [ApiPlugin] })
export class App {}
