/** The code of docs/guide/errors.md. */
import { Get, use } from 'alcove'

// #region handlers
import { Controller, Plugin, Post, type Reply, type Request, type RouteRequest } from 'alcove'

export class AuditLog {
  readonly lines: string[] = []
}

class ApiErrors {
  static readonly inject = [AuditLog] as const
  constructor(private readonly log: AuditLog) {}

  errorHandler(error: Error, request: Request, reply: Reply) {
    this.log.lines.push(`${request.url}: ${error.message}`)
    if (error instanceof RangeError) return reply.code(409).send({ message: error.message })
    throw error // goes to the handler outside this one, finally to the default one
  }
}

class NothingHere {
  notFoundHandler(request: Request, reply: Reply) {
    return reply.code(404).send({ nothingAt: request.url })
  }
}

class Csv {
  parse(_request: Request, text: string) {
    return text.split(',')
  }
}

@Controller('/lists')
class ListsController {
  @Post()
  create({ body }: RouteRequest) {
    if (body === undefined || (body as string[]).length > 3) throw new RangeError('Too many columns')
    return { columns: body }
  }
}

@Plugin({
  prefix: '/api',
  providers: [AuditLog],
  errorHandler: ApiErrors,
  notFoundHandler: NothingHere,
  contentTypeParsers: [{ type: 'text/csv', parseAs: 'string', parse: Csv }],
  routes: [ListsController],
})
class ApiPlugin {}
// #endregion

// #region formatter
import { type SchemaErrorDetail } from 'alcove'

class OrderIssues {
  schemaErrorFormatter(errors: readonly SchemaErrorDetail[], part: string) {
    return new Error(`The ${part} of the order: ${errors.map(({ message }) => message).join(', ')}`)
  }
}

const order = { body: { type: 'object', required: ['age'], properties: { age: { type: 'integer' } } } } as const

@Controller('/orders', { schemaErrorFormatter: OrderIssues })
class OrdersController {
  @Post('', order)
  create({ body }: RouteRequest<typeof order>) {
    return body
  }
}
// #endregion

@Controller('/orders')
class ProblemController {
  @Post('', order)
  create({ body }: RouteRequest<typeof order>) {
    if (body.age > 100) throw priceError()
    return body
  }
}

@Controller('/legacy')
class LegacyController {
  @Get()
  find() {
    throw new RangeError('old')
  }
}

// #region problem
@Plugin({ prefix: '/legacy', errorFormat: 'default', routes: [LegacyController] })
class LegacyPlugin {}

@Plugin({ prefix: '/v2', errorFormat: 'problem', routes: [ProblemController], imports: [LegacyPlugin] })
class ProblemPlugin {}
// #endregion

// #region extensions
import { HttpError } from 'alcove'

function priceError() {
  return new HttpError(403, 'The price is 50', {
    type: 'https://shop.example/out-of-credit',
    title: 'Out of credit',
    extensions: { balance: 30 },
  })
}
// #endregion

// #region classes
import { httpError } from 'alcove'

class OutOfCredit extends httpError(
  403,
  { type: 'object', required: ['balance'], properties: { balance: { type: 'number' } } },
  { type: 'https://shop.example/out-of-credit', title: 'Out of credit', message: 'There is too little credit' },
) {}

const buy = { body: { type: 'object', required: ['price'], properties: { price: { type: 'number' } } } } as const

@Controller('/purchases', { throws: [OutOfCredit] })
class PurchasesController {
  @Post('', buy)
  create({ body }: RouteRequest<typeof buy>) {
    if (body.price > 30) throw new OutOfCredit({ balance: 30 }, `The price is ${body.price}`)
    return { paid: body.price }
  }
}
// #endregion

@Plugin({ imports: [ApiPlugin, ProblemPlugin, use(LegacyPlugin, { prefix: '/old' })], routes: [OrdersController, PurchasesController] })
export class App {}
