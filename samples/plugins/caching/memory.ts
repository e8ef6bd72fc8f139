import { Controller, Get, Injectable, Plugin, type RouteRequest } from 'alcove'
import { Cache, CacheFor, CacheResults, MemoryCache } from './cache.js'

/** Something slow: a query over many rows, a call of another service. */
export class Statistics {
  calls = 0

  async visitsOf(year: number): Promise<number> {
    this.calls += 1
    return year * 3
  }
}

const visits = {
  params: { type: 'object', required: ['year'], properties: { year: { type: 'integer' } } },
  querystring: { type: 'object', additionalProperties: false, properties: {} },
  response: { 200: { type: 'object', required: ['visits'], properties: { visits: { type: 'integer' } } } },
} as const

@Injectable()
@Controller('/visits')
export class VisitsController {
  constructor(private readonly statistics: Statistics) {}

  @Get('/:year', visits)
  @CacheFor(60)
  async show({ params }: RouteRequest<typeof visits>) {
    return { visits: await this.statistics.visitsOf(params.year) }
  }
}

@Plugin({
  providers: [Statistics, { provide: Cache, useClass: MemoryCache }],
  hooks: { around: CacheResults },
  routes: [VisitsController],
})
export class App {}
