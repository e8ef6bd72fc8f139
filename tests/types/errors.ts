/** The types of errors with a status and a schema, and of the places that list them. */
import { Controller, createServer, Get, HttpError, httpError, Plugin, Route, testServer } from 'alcove'
import { z } from 'zod'

class NoSuchUser extends httpError(404, {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
}) {}
class Gone extends httpError(410) {}
class Short extends httpError(409, { until: { type: 'string', format: 'date-time' } }) {}
class OfZod extends httpError(409, z.object({ until: z.number() })) {}
class WithConstructor extends httpError(404, { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }) {
  constructor(id: number) {
    super({ id }, `No user ${id}`)
  }
}

const error = new NoSuchUser({ id: 7 }, 'No user 7', { cause: new Error() })
error.extensions.id.toFixed()
error.statusCode satisfies 404
NoSuchUser.status satisfies 404
error satisfies HttpError
new Gone()
new Gone({}, 'Moved away')
new Short()
new Short({ until: new Date() })
new OfZod({ until: 12 })
new WithConstructor(7)

// @ts-expect-error the id is required
new NoSuchUser()
// @ts-expect-error the id is a number
new NoSuchUser({ id: 'x' })
// @ts-expect-error there is no such member
new NoSuchUser({ id: 7, nme: 'Ada' })
// @ts-expect-error a number
new OfZod({ until: 'noon' })
// @ts-expect-error the payload has a member of this name
new HttpError(404, 'No', { extensions: { status: 1 } })

class WithoutStatus extends HttpError {}

@Route({ method: 'GET', path: '/', throws: [NoSuchUser, Gone] })
class Fits {
  handle() {}
}
@Controller('/users', { throws: [WithConstructor] })
class Users {
  @Get({ path: '/', throws: [OfZod] })
  all() {}
}
@Plugin({ throws: [NoSuchUser], routes: [Fits, Users] })
class App {}
createServer({ errorFormat: 'problem' })
  .setErrorFormat('default')
  .addErrorClass(NoSuchUser)
  .get('/', { throws: [Short] }, () => 1)
await using _app = await testServer(App, { throws: [NoSuchUser] })

// @ts-expect-error it has no status
Controller('/', { throws: [WithoutStatus] })
// @ts-expect-error it is not a class of HttpErrors
Get({ throws: [Error] })
// @ts-expect-error the class, not an instance
Get({ throws: [new Gone()] })
// @ts-expect-error it has no status
Plugin({ throws: [WithoutStatus] })
// @ts-expect-error it has no status
createServer().addErrorClass(WithoutStatus)
// @ts-expect-error it has no status
createServer().get('/', { throws: [WithoutStatus] }, () => 1)
// @ts-expect-error there is no such format
Plugin({ errors: 'problems' })
// @ts-expect-error there is no such format
createServer({ errorFormat: 'json' })
