/** The members of a configuration have the types of its schema. */
import { environment, type EnvironmentVariables, Injectable, Plugin, testServer } from 'alcove'
import { z } from 'zod'

class Settings extends environment({
  type: 'object',
  required: ['KEY'],
  properties: {
    PORT: { type: 'integer', default: 3000 },
    LEVEL: { type: 'string', enum: ['info', 'debug'] },
    KEY: { type: 'string', writeOnly: true },
  },
}) {
  get isLoud() {
    return this.LEVEL === 'debug'
  }
}

const settings = new Settings()
settings.PORT satisfies number
settings.KEY satisfies string
settings.LEVEL satisfies 'info' | 'debug' | undefined
settings.isLoud satisfies boolean
process.env satisfies EnvironmentVariables
new Settings({ KEY: 'x', OTHER: undefined })

// @ts-expect-error it may be absent
settings.LEVEL satisfies string
// @ts-expect-error it is read once
settings.PORT = 1
// @ts-expect-error there is no such variable
settings.PROT
// @ts-expect-error variables are texts
new Settings({ PORT: 3000 })

class OfZod extends environment(z.object({ ORIGINS: z.string().transform((text) => text.split(',')) })) {}
new OfZod().ORIGINS satisfies string[]

@Injectable()
class Mailer {
  static readonly inject = [Settings] as const
  constructor(readonly given: Settings) {}
}
@Plugin({ providers: [Settings, Mailer] })
class App {}
await using _app = await testServer(App, { override: [[Settings, new Settings({ KEY: 'test' })]] })
