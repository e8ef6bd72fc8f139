import { Controller, Get, HttpError, Plugin, Post, type RouteRequest } from 'alcove'
import { docsPage } from 'alcove/contract'

export class Greetings {
  readonly #names = new Map<number, string>()

  add(name: string): { id: number; name: string } {
    const id = this.#names.size + 1
    this.#names.set(id, name)
    return { id, name }
  }
  find(id: number): string | undefined {
    return this.#names.get(id)
  }
}

const greeting = { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: { type: 'string' } } } as const
const add = {
  body: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 1 } } },
  response: { 201: greeting },
} as const
const find = { params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }, response: { 200: greeting } } as const

@Controller('/greetings')
export class GreetingsController {
  constructor(private readonly greetings: Greetings) {}

  @Post({ status: 201 }, add)
  add({ body }: RouteRequest<typeof add>) {
    return this.greetings.add(body.name)
  }

  @Get('/:id', find)
  find({ params }: RouteRequest<typeof find>) {
    const name = this.greetings.find(params.id)
    if (name === undefined) throw new HttpError(404, 'No such greeting')
    return { id: params.id, name }
  }
}

@Plugin({
  imports: [docsPage({ info: { title: 'Greetings', version: '1.0.0' } })], // the page at /docs
  providers: [Greetings],
  routes: [GreetingsController],
})
export class App {}
