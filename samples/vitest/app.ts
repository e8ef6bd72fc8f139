/** How are decorated classes tested with vitest? */
import { HttpError, Injectable, Plugin, Route, type RouteRequest } from 'alcove'

export class Prices {
  of(article: string): number | undefined {
    return article === 'tea' ? 3 : undefined
  }
}

const price = {
  params: { type: 'object', required: ['article'], properties: { article: { type: 'string' } } },
  response: { 200: { type: 'object', properties: { price: { type: 'number' } } } },
} as const

@Injectable()
@Route({ method: 'GET', path: '/prices/:article' }, price)
export class GetPrice {
  constructor(private readonly prices: Prices) {}

  handle({ params }: RouteRequest<typeof price>) {
    const found = this.prices.of(params.article)
    if (found === undefined) throw new HttpError(404, 'No such article')
    return { price: found }
  }
}

@Plugin({ providers: [Prices], routes: [GetPrice] })
export class App {}
