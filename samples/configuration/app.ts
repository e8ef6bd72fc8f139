/** How is an application configured? By a class of environment variables, which is a provider; all faults are reported together. */
// #region settings
import { environment, Injectable, Plugin, Route } from 'alcove'

export class Settings extends environment({
  type: 'object',
  required: ['DATABASE_URL', 'GREETING'],
  properties: {
    PORT: { type: 'integer', minimum: 1, maximum: 65_535, default: 3000 },
    DATABASE_URL: { type: 'string', format: 'uri', writeOnly: true },
    GREETING: { type: 'string', maxLength: 40, description: 'for everyone who asks' },
  },
}) {}

@Injectable()
@Route({ method: 'GET', path: '/' })
class Greet {
  constructor(private readonly settings: Settings) {}

  handle() {
    return { greeting: this.settings.GREETING } // a string; settings.PORT is a number
  }
}

@Plugin({ providers: [Settings], routes: [Greet] })
export class App {}
// #endregion
