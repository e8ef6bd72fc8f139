/** The code of docs/guide/models.md about a class that lists its fields itself. The other blocks are from samples/models. */
import { Controller, Get, Plugin, ref } from 'alcove'

// #region fields
import { Schema } from 'alcove'

@Schema({
  $id: 'User',
  type: 'object',
  required: ['since'],
  properties: { since: { type: 'string', format: 'date-time' }, nick: { type: 'string' } },
})
class User {
  since!: Date
  nick?: string
}
// #endregion

const find = { response: { 200: ref(User) } }

@Controller('/user')
class UserController {
  @Get('', find)
  find() {
    return { since: new Date(0), nick: 'ada' }
  }
}

@Plugin({ routes: [UserController] })
export class App {}
