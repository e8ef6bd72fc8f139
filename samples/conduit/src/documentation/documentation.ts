/** The OpenAPI document of the API, as a page (`/docs`) and as JSON (`/docs/openapi.json`). */
import { Plugin } from 'alcove'
import { docsPage, type OpenApiOptions } from 'alcove/contract'

const description = `The backend of the RealWorld specification.

Log in or register, then authorize with \`Token <token>\`.`

/** Also for the command: `alcove openapi dist/src/app.js`. */
export const document = {
  info: { title: 'Conduit', version: '1.0.0', description },
  basePath: '/api',
  // The specification names operations by what they do: `CreateArticle`.
  operationId: ({ place }) => place.replace(/^.*[.> ]/, '').replace(/^[a-z]/, (letter) => letter.toUpperCase()),
} satisfies OpenApiOptions

@Plugin({ imports: [docsPage({ path: '/docs', ...document })] })
export class Documentation {}
