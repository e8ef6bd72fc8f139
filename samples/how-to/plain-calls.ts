/** Decorators that are called: several for one class. */
import { Controller, Get, Hook, HttpError, Plugin, type Request } from 'alcove'

export class RequireUser {
  onRequest(request: Request): void {
    if (request.headers['x-user'] === undefined) throw new HttpError(401, 'Say who you are')
  }
}

// #region nested
export class ReportsController {
  static {
    Controller('/reports')(Hook('onRequest', RequireUser)(this))
    Get()(this.prototype, 'list')
  }

  list() {
    return ['2026-11']
  }
}
// #endregion nested

export class App {
  static {
    Plugin({ routes: [ReportsController] })(this)
  }
}
