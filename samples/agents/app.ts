/** The application of AGENTS.md: a model, an error, a guard, a provider and a controller, in two contexts. */
// #region app
import {
  arrayOf,
  Controller,
  Get,
  Hook,
  httpError,
  Model,
  omit,
  Plugin,
  Post,
  ref,
  type Request,
  requestDecorator,
  type RouteRequest,
} from 'alcove'

export class Task extends Model({
  $id: 'Task',
  type: 'object',
  required: ['id', 'title'],
  properties: { id: { type: 'integer' }, title: { type: 'string', minLength: 1 } },
}) {}
export class NoSuchTask extends httpError(404, {}, { message: 'There is no such task' }) {}
export class NobodyKnown extends httpError(401, {}, { message: 'Say who you are' }) {}
export const User = requestDecorator('user', '')

export class Tasks {
  readonly #all: Task[] = []
  list(): Task[] {
    return this.#all
  }
  add(title: string): Task {
    const task = new Task({ id: this.#all.length + 1, title })
    this.#all.push(task)
    return task
  }
  find(id: number): Task {
    const task = this.#all.find((each) => each.id === id)
    if (task === undefined) throw new NoSuchTask()
    return task
  }
}

/** A guard is a hook class. It lets a request pass if it returns nothing, and refuses it if it throws an error that it lists. */
export class RequireUser {
  static readonly throws = [NobodyKnown] as const

  onRequest(request: Request & { user: string }): void {
    const user = request.headers['x-user']
    if (typeof user !== 'string') throw new NobodyKnown()
    request.user = user
  }
}

const byId = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } as const
const list = { response: { 200: arrayOf(Task) } }
const find = { params: byId, response: { 200: ref(Task) } }
const add = { body: omit(Task, 'id'), response: { 201: ref(Task) } }

@Controller('/tasks')
export class TasksController {
  static readonly inject = [Tasks] as const
  constructor(private readonly tasks: Tasks) {}

  @Get('', list)
  list() {
    return this.tasks.list()
  }

  @Get({ path: '/:id', throws: [NoSuchTask] }, find)
  find({ params }: RouteRequest<typeof find>) {
    return this.tasks.find(params.id) // params.id is a number: the schema says so
  }

  @Post({ status: 201 }, add)
  @Hook('onRequest', RequireUser)
  add({ body, user, log }: RouteRequest<typeof add, [typeof User]>) {
    log.info({ user }, 'adds a task')
    return this.tasks.add(body.title)
  }
}

@Plugin({ decorateRequest: [User], providers: [Tasks], routes: [TasksController] })
export class TasksPlugin {}

@Plugin({ imports: [TasksPlugin] }) // the root: every plugin below sees its declarations
export class App {}
// #endregion
