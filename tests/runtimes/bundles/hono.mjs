import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import * as z from 'zod'
import { Users } from './users.mjs'

const users = new Users()

export const app = new Hono().get('/users/:id', zValidator('param', z.object({ id: z.coerce.number().int() })), (context) => {
  const user = users.find(context.req.valid('param').id)
  if (user === undefined) throw new HTTPException(404, { message: 'There is no such user' })
  return context.json(user)
})
