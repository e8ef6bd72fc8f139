/** The code of docs/how-to/validate.md: the same route with Zod and with TypeBox. */
// #region zod
import { Controller, Plugin, Post, type RouteRequest } from 'alcove'
import { z } from 'zod'

const signUp = {
  body: z
    .object({
      email: z.email(),
      password: z.string().min(10),
      repeated: z.string(),
      age: z.number().int().min(18).optional(),
    })
    .refine(({ password, repeated }) => password === repeated, { path: ['repeated'], error: 'is not the password' }),
}

@Controller('/zod')
class ZodController {
  @Post({ path: '/users', status: 201 }, signUp)
  signUp({ body }: RouteRequest<typeof signUp>) {
    return { email: body.email, age: body.age } // a string, and a number or undefined
  }
}
// #endregion

// #region typebox
import { Get } from 'alcove'
import { Type } from 'typebox'

const search = {
  querystring: Type.Object({
    q: Type.String({ minLength: 2 }),
    page: Type.Integer({ minimum: 1, default: 1 }),
    sort: Type.Optional(Type.Enum(['name', 'price'])),
  }),
}

@Controller('/typebox')
class TypeBoxController {
  @Get('/products', search)
  search({ query }: RouteRequest<typeof search>) {
    return { q: query.q, page: query.page, sort: query.sort ?? 'name' }
  }
}
// #endregion

// #region cookies
const list = {
  cookies: {
    type: 'object',
    additionalProperties: false,
    properties: { theme: { enum: ['light', 'dark'], default: 'light' }, perPage: { type: 'integer', maximum: 100, default: 20 } },
  },
} as const

@Controller('/cookies')
class CookiesController {
  @Get('/products', list)
  list({ cookies }: RouteRequest<typeof list>) {
    return { theme: cookies.theme, perPage: cookies.perPage } // 'light' or 'dark', and a number
  }
}
// #endregion

@Plugin({ routes: [ZodController, TypeBoxController, CookiesController] })
class LibrariesPlugin {}

const addItem = {
  body: { type: 'object', required: ['name', 'price'], properties: { name: { type: 'string' }, price: { type: 'integer' } } },
} as const

@Controller('/strict')
class ItemsController {
  @Post('/items', addItem)
  add({ body }: RouteRequest<typeof addItem>) {
    return body
  }
}

// #region strict
@Plugin({ schemaController: { coerceBodies: false }, routes: [ItemsController] })
class StrictPlugin {}
// #endregion

@Plugin({ imports: [LibrariesPlugin, StrictPlugin] })
export class App {}

// #region all-faults
import type { ServerOptions } from 'alcove'

export const options = { jsv: { customOptions: { allErrors: true } } } satisfies ServerOptions
// #endregion
