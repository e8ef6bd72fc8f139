/** How is the work of a reply saved that the client has already? By a version that is known before the work. */
import { Controller, Get, Injectable, Plugin, type Reply, type Request } from 'alcove'

export class Report {
  version = 7
  timesMade = 0

  async make(): Promise<object> {
    this.timesMade += 1
    return { visits: 365 }
  }
}

@Injectable()
@Controller('/report')
class ReportController {
  constructor(private readonly report: Report) {}

  @Get()
  async show({ headers }: Request, reply: Reply) {
    const tag = `"${this.report.version}"`
    reply.headers({ etag: tag, 'cache-control': 'no-cache' })
    if (hasTag(headers['if-none-match'], tag)) return reply.code(304).send()
    return this.report.make()
  }
}

/** Whether a header such as `W/"6", "7"` lists the tag. A proxy that compresses adds the `W/`. */
function hasTag(ifNoneMatch: string | undefined, tag: string): boolean {
  return ifNoneMatch?.split(',').some((listed) => ['*', tag, `W/${tag}`].includes(listed.trim())) ?? false
}

@Plugin({ providers: [Report], routes: [ReportController] })
export class App {}
