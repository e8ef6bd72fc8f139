/** The routes that the files beside this one protect. */
import { Controller, Get, HttpError, Plugin, type Request } from 'alcove'
import { LoginController } from './login.js'

class RequireToken {
  onRequest({ headers }: Request): void {
    if (headers.authorization !== 'Bearer a-token') throw new HttpError(401, 'Log in first')
  }
}

@Controller('/orders')
class OrdersController {
  @Get()
  list() {
    return []
  }
}

@Plugin({ hooks: { onRequest: RequireToken }, routes: [OrdersController] })
class CustomerArea {}

@Plugin({ routes: [LoginController], imports: [CustomerArea] })
export class ShopPlugin {}
