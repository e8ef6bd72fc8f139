/** How is an application configured? By one provider, read from the environment at boot; all faults are reported together. */
import { factory, Injectable, Plugin, Route, token } from 'alcove'
import { z } from 'zod'

const variables = z.object({
  PORT: z.coerce.number().int().min(1).max(65_535).default(3000),
  DATABASE_URL: z.url(),
  GREETING: z.string().min(1),
})
export type Config = z.infer<typeof variables>

/** The environment variables; a test overrides them. */
export const ENV = token<Record<string, string | undefined>>('ENV')
export const CONFIG = token<Config>('CONFIG')

function readConfig(env: Record<string, string | undefined>): Config {
  const { data, error } = variables.safeParse(env)
  if (error === undefined) return data
  const wrong = error.issues.map(({ path, message }) => `  - ${path.join('.')}: ${message} (is ${JSON.stringify(env[String(path[0])])})`)
  throw new Error(`The environment has ${wrong.length} faults:\n${wrong.join('\n')}`)
}

@Injectable()
@Route({ method: 'GET', path: '/' })
class Greet {
  static readonly inject = [CONFIG] as const
  constructor(private readonly config: Config) {}

  handle() {
    return { greeting: this.config.GREETING }
  }
}

@Plugin({ providers: [{ provide: ENV, useValue: process.env }, factory(CONFIG, [ENV], readConfig)], routes: [Greet] })
export class App {}
