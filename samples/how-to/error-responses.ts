/** The code of docs/how-to/error-responses.md. */
// #region classes
import { Controller, Get, httpError, Plugin, type RouteRequest } from 'alcove'

class NoSuchProduct extends httpError(404, { sku: { type: 'string' } }, { message: 'There is no such product' }) {}

const find = {
  params: { sku: { type: 'string', pattern: '^[A-Z]{3}-[0-9]+$' } },
  response: { 200: { type: 'object', required: ['sku', 'price'], properties: { sku: { type: 'string' }, price: { type: 'integer' } } } },
} as const

@Controller('/products')
class ProductsController {
  @Get({ path: '/:sku', throws: [NoSuchProduct] }, find)
  find({ params }: RouteRequest<typeof find>) {
    if (params.sku === 'TEA-0') throw new Error('the shelf is broken')
    if (params.sku !== 'TEA-1') throw new NoSuchProduct({ sku: params.sku })
    return { sku: params.sku, price: 300 }
  }
}

@Plugin({ errorFormat: 'problem', routes: [ProductsController] })
export class ProblemApp {}
// #endregion

// #region own
import { type HttpPart, type Reply, type Request, type SchemaErrorDetail } from 'alcove'

class InvalidRequest extends Error {
  constructor(readonly fields: Record<string, string>) {
    super('The request is invalid')
  }
}

/** Makes one error of all that the validator found. */
function toInvalidRequest(errors: SchemaErrorDetail[], part: HttpPart): Error {
  return new InvalidRequest(
    Object.fromEntries(errors.map(({ instancePath, message }) => [`${part}${instancePath}`, message ?? 'is invalid'])),
  )
}

/** Every error of the application in one shape: `{ "error": { "code", "message", "fields"? } }`. */
function answerError(error: Error & { statusCode?: number; code?: string }, request: Request, reply: Reply) {
  const status = error instanceof InvalidRequest ? 422 : (error.statusCode ?? 500)
  if (status >= 500) request.log.error({ err: error }, 'request failed')
  return reply.code(status).send({
    error: {
      code: error.code ?? `HTTP_${status}`,
      message: status >= 500 ? 'Something went wrong' : error.message,
      ...(error instanceof InvalidRequest && { fields: error.fields }),
      requestId: request.id,
    },
  })
}

function answerNotFound(request: Request, reply: Reply) {
  return reply
    .code(404)
    .send({ error: { code: 'NO_ROUTE', message: `There is no ${request.method} ${request.url}`, requestId: request.id } })
}

@Plugin({
  errorHandler: answerError,
  notFoundHandler: answerNotFound,
  schemaErrorFormatter: toInvalidRequest,
  routes: [ProductsController],
})
export class OwnShapeApp {}
// #endregion
