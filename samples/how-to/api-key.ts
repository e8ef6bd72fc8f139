/** The code of docs/how-to/authenticate.md: clients that send a key. */
// #region key
import { createHash, timingSafeEqual } from 'node:crypto'
import { Controller, Get, httpError, Plugin, requestDecorator, type RouteRequest, type SecuritySchemes } from 'alcove'

export interface Client {
  readonly name: string
}

/** `request.client`, for routes behind {@link RequireKey}. */
export const CurrentClient = requestDecorator('client').as<Client>()

class WrongKey extends httpError(401, {}, { message: 'Send a valid key as x-api-key' }) {}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Only hashes of keys are stored. */
export class Keys {
  readonly #clients: readonly { key: Buffer; client: Client }[] = [{ key: hash('demo-key'), client: { name: 'demo' } }]

  find(key: string): Client | undefined {
    const given = hash(key)
    return this.#clients.find((entry) => timingSafeEqual(entry.key, given))?.client
  }
}

export class RequireKey {
  static readonly inject = [Keys] as const
  static readonly sets = [CurrentClient] as const
  static readonly throws = [WrongKey] as const
  static readonly security = { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } } satisfies SecuritySchemes
  constructor(private readonly keys: Keys) {}

  onRequest(request: RouteRequest<unknown, [typeof CurrentClient]>) {
    const client = this.keys.find(String(request.headers['x-api-key'] ?? ''))
    if (client === undefined) throw new WrongKey()
    request.client = client
  }
}

@Controller('/usage')
class UsageController {
  @Get()
  show({ client }: RouteRequest<unknown, [typeof CurrentClient]>) {
    return { client: client.name }
  }
}

@Plugin({ requires: [CurrentClient], hooks: { onRequest: RequireKey }, routes: [UsageController] })
class ClientArea {}

@Plugin({ decorateRequest: [CurrentClient], providers: [Keys], imports: [ClientArea] })
export class App {}
// #endregion
