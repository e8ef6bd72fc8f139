/** The code of docs/how-to/files-and-streams.md. */
// #region download
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Controller, Get, HttpError, Plugin, pluginOptions, type Reply, type RouteRequest } from 'alcove'

export interface ReportOptions {
  directory: string
}

const report = {
  params: { type: 'object', required: ['year'], properties: { year: { type: 'integer', minimum: 2000, maximum: 2100 } } },
} as const

@Controller('/reports')
class ReportsController {
  static readonly inject = [pluginOptions<ReportOptions>()] as const
  constructor(private readonly options: ReportOptions) {}

  /** A file. Its name is made of validated values only. */
  @Get('/:year', report)
  async download({ params }: RouteRequest<typeof report>, reply: Reply) {
    const path = join(this.options.directory, `${params.year}.pdf`)
    const { size } = await stat(path).catch((error: unknown) => {
      throw new HttpError(404, 'There is no such report', { cause: error })
    })
    return reply
      .type('application/pdf')
      .header('content-length', size)
      .header('content-disposition', `attachment; filename="report-${params.year}.pdf"`)
      .send(createReadStream(path))
  }

  /** Rows that are made while they are sent, no faster than the client and the buffers on the way take them. */
  @Get('/:year/rows', report)
  rows({ params }: RouteRequest<typeof report>, reply: Reply) {
    function* lines() {
      yield 'day,visits\n'
      for (let day = 1; day <= 365; day += 1) yield `${params.year}-${day},${day * 3}\n`
    }
    return reply.type('text/csv').send(Readable.from(lines()))
  }
}

@Plugin({ routes: [ReportsController] })
export class ReportsPlugin {
  setup(_server: unknown, _options: ReportOptions) {}
}
// #endregion
