/** Mistakes that @Plugin and @Hook refuse. */
import {
  type Class,
  Controller,
  factory,
  Get,
  Hook,
  Plugin,
  pluginOptions,
  requestDecorator,
  type RouteRequest,
  type Server,
  token,
} from 'alcove'

const CurrentUser = requestDecorator('user', null).as<{ name: string } | null>()
const NAME = token<string>('NAME')

class Unrequired {
  preHandler(_request: RouteRequest<unknown, [typeof CurrentUser]>) {}
}
class WronglyInjected {
  static readonly inject = [NAME] as const
  constructor(_count: number) {}
  preHandler() {}
}

@Controller()
export class Hooked {
  @Get('/requires')
  @Hook('preHandler', Unrequired)
  requires() {}

  @Get('/inject')
  @Hook('preHandler', WronglyInjected)
  inject() {}

  @Get('/around')
  @Hook('around', async ({ user }: RouteRequest<unknown, [typeof CurrentUser]>, next) => user && next())
  around() {}
}

@Controller()
export class NotPublic {
  @Get()
  protected show({ user }: RouteRequest<unknown, [typeof CurrentUser]>) {
    return user
  }
}

@Plugin({ routes: [Hooked] as Class[] })
export class AnyRoutesPlugin {}

@Plugin({ hooks: { preHandler: WronglyInjected } })
export class HooksPlugin {}

@Plugin()
export class ReadsUser {
  @Hook('onRequest')
  authenticate(_request: RouteRequest<unknown, [typeof CurrentUser]>) {}
}

@Plugin({ providers: [factory(NAME, [pluginOptions<{ table: string }>()], ({ table }) => table)] })
export class OtherOptions {
  setup(_instance: Server, _options: { table: number }) {}
}
