import { Config, Controller, HttpError, Post, type RouteRequest } from 'alcove'

const login = {
  body: { type: 'object', required: ['password'], properties: { password: { type: 'string' } } },
} as const

@Controller('/login')
export class LoginController {
  @Post('', login)
  @Config({ rateLimit: { max: 10, timeWindow: '1 minute' } })
  login({ body }: RouteRequest<typeof login>) {
    if (body.password !== 'open sesame') throw new HttpError(401, 'The password is wrong')
    return { token: 'a-token' }
  }
}
