import { Controller, Get, HttpError, Plugin, Post, type RouteRequest } from 'alcove'
import { Type } from 'typebox'
import { Greetings } from './app.js'

const greeting = Type.Object({ id: Type.Integer(), name: Type.String() })
const add = { body: Type.Object({ name: Type.String({ minLength: 1 }) }), response: { 201: greeting } }
const find = { params: Type.Object({ id: Type.Integer() }), response: { 200: greeting } }

@Controller('/greetings')
class GreetingsController {
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

@Plugin({ providers: [Greetings], routes: [GreetingsController] })
export class App {}
