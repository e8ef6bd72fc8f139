import { Controller, Get, Plugin, Post, type RouteRequest, token } from 'alcove'

/** What the worker needs of the binding: a namespace of Workers KV has these methods, and more. */
export interface Store {
  get(key: string): Promise<string | null>
  put(key: string, value: string): Promise<void>
}
export const STORE = token<Store>('STORE')

const find = {
  params: { type: 'object', required: ['name'], properties: { name: { type: 'string', maxLength: 40 } } },
  response: { 200: { type: 'object', required: ['name', 'text'], properties: { name: { type: 'string' }, text: { type: 'string' } } } },
} as const
const save = {
  body: {
    type: 'object',
    required: ['name', 'text'],
    additionalProperties: false,
    properties: { name: { type: 'string', maxLength: 40 }, text: { type: 'string', maxLength: 1000 } },
  },
  response: { 201: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
} as const

@Controller('/notes')
class Notes {
  static readonly inject = [STORE] as const
  readonly store: Store
  constructor(store: Store) {
    this.store = store
  }

  @Get('/:name', find)
  async find({ params }: RouteRequest<typeof find>) {
    return { name: params.name, text: (await this.store.get(params.name)) ?? '' }
  }

  @Post('/', save)
  async save({ body }: RouteRequest<typeof save>, reply: { code(status: number): unknown }) {
    await this.store.put(body.name, body.text)
    reply.code(201)
    return { name: body.name }
  }
}

@Plugin({ routes: [Notes] })
export class NotesPlugin {}
