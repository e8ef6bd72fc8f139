/** Creates OpenAPI 3.1 from the schemas of the routes, as JSON and as a page. */
import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import swaggerUi, { type FastifySwaggerUiOptions } from '@fastify/swagger-ui'
import { Plugin, use } from 'alcove'

const description = `The backend of the RealWorld specification.

Log in or register, then authorize with \`Token <token>\`.`

/** Import this before the routes that it describes. */
export const swaggerPlugin = use(swagger, {
  openapi: {
    openapi: '3.1.0',
    info: { title: 'Conduit', version: '1.0.0', description },
    servers: [{ url: '/api' }],
    components: { securitySchemes: { Token: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'Token …' } } },
  },
  hideUntagged: true,
  refResolver: { buildLocalReference: ({ $id }, _base, _fragment, index) => (typeof $id === 'string' ? $id : `model-${index}`) },
  transform,
} satisfies FastifyDynamicSwaggerOptions)

const page = {
  routePrefix: '/docs',
  staticCSP: {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:'],
    'connect-src': "'self'",
    'frame-ancestors': "'none'",
  },
  theme: { title: 'Conduit' },
  uiConfig: { persistAuthorization: true, layout: 'BaseLayout' },
} satisfies FastifySwaggerUiOptions

@Plugin({ imports: [use(swaggerUi, page)] })
export class Documentation {}

type Transform = NonNullable<FastifyDynamicSwaggerOptions['transform']>

/** Names come from classes and methods: `… > AuthenticatedArea > FavoritesController.createArticleFavorite`. */
function transform({ schema, url, route }: Parameters<Transform>[0]): ReturnType<Transform> {
  const place = (route.config as { route?: string } | undefined)?.route
  if (place === undefined || !url.startsWith('/api/')) return { schema: { ...schema, hide: true }, url }
  const [className = '', method] = place.split(' > ').at(-1)!.split('.')
  const operationId = method === undefined ? className : `${method[0]!.toUpperCase()}${method.slice(1)}`
  const isGuarded = place.includes(' > AuthenticatedArea > ')
  return {
    schema: { ...schema, operationId, tags: [tagOf(className)], ...(isGuarded && { security: [{ Token: [] }] }) },
    url: url.slice('/api'.length),
  }
}

/** `WriteArticlesController` is about articles, `CurrentUserController` about the current user. */
function tagOf(className: string): string {
  const subject = className.replace(/Controller$/, '').replace(/^(?:Read|Write|Get|Follow)(?=[A-Z])/, '')
  return subject.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
