/**
 * `docsPage`: a page on which people read the OpenAPI document and send requests. The page is Swagger UI, from the peer dependency
 * swagger-ui-dist.
 */
import { dirname, join } from 'node:path'
import type { Reply, Request, Server } from '../../lib/index.js'
import { escapeHtml, readFileSync, rootOf } from '../../lib/internal.js'
import { type ImportEntry, use } from '../declare/imports.js'
import type { OpenApiOptions, OpenApiServer } from './openapi/document-types.js'
import { openapi } from './openapi/openapi.js'
import { assertOptions } from './openapi/options.js'
import { resolvePeer } from '../peer.js'

/** The options of {@link docsPage}: the options of the OpenAPI document, and the path of the page. */
export interface DocsPageOptions extends OpenApiOptions {
  /**
   * The path of the page, below the prefix of the importing plugin. The page is served with and without a slash at the end. Default:
   * `/docs`.
   */
  readonly path?: string
}

/**
 * Returns an entry of `imports` that serves a page with the documentation of the whole application, and the OpenAPI document beside it as
 * `/docs/openapi.json`. The guards of the importing context hold for the page and for the document. The page loads nothing from other
 * hosts, and works under a content security policy without `'unsafe-inline'`.
 * ```ts
 * @Plugin({ imports: [docsPage({ path: '/docs', info: { title: 'Shop', version: '1.0.0' } }), Shop] })
 * class App {}
 * ```
 * The page needs the package `swagger-ui-dist`: without this package the boot fails with ALC_ERR_PEER_MISSING. A server without classes
 * registers {@link docsPlugin}.
 */
export function docsPage(options: DocsPageOptions): ImportEntry {
  const { path: _path, ...ofDocument } = options
  assertOptions('docsPage', ofDocument)
  return use(docsPlugin, options, { docs: { hide: true } })
}

/**
 * Serves the page of {@link docsPage}, as a plugin function: `server.register(docsPlugin, { info: { title: 'Shop', version: '1.0.0' } })`.
 * @throws ALC_ERR_PEER_MISSING if `swagger-ui-dist` is not installed
 */
export async function docsPlugin(instance: Server, options: DocsPageOptions): Promise<void> {
  // The function is async, because `register` would wait for a callback otherwise. `register` also passes its `prefix` among the options.
  const { prefix: _prefix, path = '/docs', ...documentOptions } = options as DocsPageOptions & { prefix?: string }
  assertOptions('docsPlugin', documentOptions)
  const folder = dirname(resolvePeer('swagger-ui-dist/package.json', 'docsPage'))
  let document = ''
  // The document is made after all plugins have declared their routes. A fault of the document fails the boot.
  instance.addHook('onReady', function (this: Server, done) {
    document = JSON.stringify(openapi(rootOf(instance), { onWarning: warnIn(instance), ...documentOptions }))
    done()
  })
  const files: Readonly<Record<string, readonly [type: string, read: () => string | Buffer]>> = {
    'openapi.json': ['application/json; charset=utf-8', () => document],
    'page.js': ['text/javascript; charset=utf-8', () => script],
    'swagger-ui.css': ['text/css; charset=utf-8', once(() => readFileSync(join(folder, 'swagger-ui.css')))],
    'swagger-ui-bundle.js': ['text/javascript; charset=utf-8', once(() => readFileSync(join(folder, 'swagger-ui-bundle.js')))],
  }
  const policy = policyFor(documentOptions.servers ?? [])
  const hidden = { docs: { hide: true } }
  const declareRoutes = (at: Server): void => {
    at.get('/', hidden, (request: Request, reply: Reply) => {
      protect(reply).header('content-security-policy', policy).type('text/html; charset=utf-8')
      return pageFor(documentOptions.info.title, baseOf(request.url))
    })
    for (const [name, [type, read]] of Object.entries(files))
      at.get(`/${name}`, hidden, (_request: Request, reply: Reply) => {
        protect(reply).type(type)
        return read()
      })
  }
  // The path is a prefix, under which the route `/` is found with and without a slash at the end.
  const directory = path.replace(/\/+$/, '')
  if (directory === '') return declareRoutes(instance)
  // The function has a name, which `explain` shows.
  instance.register(
    async function page(child: Server) {
      declareRoutes(child)
    },
    { prefix: directory },
  )
}

function warnIn({ log }: Server): NonNullable<OpenApiOptions['onWarning']> {
  return ({ kind, message }) => {
    if (kind === 'lossy') log.warn(`OpenAPI: ${message}`)
  }
}

function once<T>(read: () => T): () => T {
  let value: T | undefined
  return () => (value ??= read())
}

/**
 * Sets the security and caching headers of the documentation page and of its files. A guard may have let in only this client, so shared
 * caches must not store the replies.
 */
function protect(reply: Reply): Reply {
  return reply
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'private, no-cache')
}

/**
 * Returns the content security policy of the documentation page. The page may send requests to this server and to the servers that the
 * document lists. Swagger UI sets the styles of elements by script, which `style-src` does not restrict.
 */
function policyFor(servers: NonNullable<OpenApiOptions['servers']>): string {
  const origins = new Set(servers.flatMap(urlsOf).flatMap((url) => (URL.canParse(url) ? new URL(url).origin : [])))
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${["'self'", ...origins].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Returns the URLs of a server: one for each value that the variables in its URL may have (`enum`, or else `default`). */
function urlsOf({ url, variables = {} }: OpenApiServer): readonly string[] {
  return Object.entries(variables).reduce<readonly string[]>(
    (urls, [name, { enum: values, default: value }]) =>
      urls.flatMap((each) => (each.includes(`{${name}}`) ? (values ?? [value]).map((text) => each.replaceAll(`{${name}}`, text)) : each)),
    [url],
  )
}

/**
 * Returns the relative URL of the folder of the documentation page's files: `./docs` for the page `/docs`. The URL is relative because a
 * proxy may have removed a prefix from the path of the request.
 */
function baseOf(url: string): string {
  const name = new URL(url, 'http://localhost').pathname.split('/').at(-1)!
  return name === '' ? '.' : `./${escapeHtml(name)}`
}

function pageFor(title: string, base: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/swagger-ui.css">
</head>
<body>
<div id="page" data-document="${base}/openapi.json"></div>
<script src="${base}/swagger-ui-bundle.js"></script>
<script src="${base}/page.js"></script>
</body>
</html>
`
}

/** The script of the documentation page. Swagger UI calls no validator on another host, and keeps a token only until the tab is closed. */
const script = `const page = document.getElementById('page')
SwaggerUIBundle({
  url: new URL(page.dataset.document, location.href).href,
  domNode: page,
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
})
`
