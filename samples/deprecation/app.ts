/** How are clients told that a route ends? By headers, and by the OpenAPI document. */
// #region hook
import { type Reply, type Request } from 'alcove'

export interface Deprecation {
  /** From when on nobody should use it. */
  readonly since: Date
  /** From when on it may be gone. */
  readonly end: Date
  /** The page that says what to use instead. */
  readonly page: string
}

/** A hook that sends the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`, and logs who still asks. */
export function deprecated({ since, end, page }: Deprecation) {
  return (request: Request, reply: Reply): void => {
    reply.headers({
      deprecation: `@${Math.floor(since.getTime() / 1000)}`,
      sunset: end.toUTCString(),
      link: `<${page}>; rel="deprecation"; type="text/html"`,
    })
    request.log.warn({ url: request.routeOptions.url, client: request.headers['user-agent'] }, 'a deprecated route was used')
  }
}
// #endregion

// #region app
import { Controller, Get, Hook, Plugin } from 'alcove'

const version1 = deprecated({
  since: new Date('2026-01-01'),
  end: new Date('2026-07-01'),
  page: 'https://shop.example/docs/version-2',
})

@Controller('/price')
class OldPriceController {
  @Get()
  show() {
    return { price: 19.99 }
  }
}

/** A whole version. Each of its routes is marked, also one that is added later. */
@Plugin({ prefix: '/v1', docs: { deprecated: true }, hooks: { onSend: version1 }, routes: [OldPriceController] })
class ApiV1 {}

@Controller('/price')
class PriceController {
  @Get()
  show() {
    return { amount: 1999, currency: 'EUR' }
  }

  /** A single route. */
  @Get({ path: '/list', docs: { deprecated: true } })
  @Hook('onSend', version1)
  list() {
    return []
  }
}

@Plugin({ prefix: '/v2', routes: [PriceController] })
class ApiV2 {}

@Plugin({ imports: [ApiV1, ApiV2] })
export class App {}
// #endregion
