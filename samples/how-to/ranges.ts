/** Ranges of bytes that are not files: an object of a storage, a column of a database. */
// #region ranges
import { Readable } from 'node:stream'
import { Controller, Get, httpError, Injectable, Plugin, rangeResponses, type Reply, type RouteRequest, sendRanges } from 'alcove'

class NoSuchRecording extends httpError(404, {}, { message: 'There is no such recording' }) {}

/** Stands for a storage that can open a part of an object. */
export class Recordings {
  readonly #all = new Map([[1, { bytes: Buffer.from('0123456789'), etag: '"7f3a"', changed: new Date('2026-11-01T10:00:00Z') }]])

  find(id: number) {
    const found = this.#all.get(id)
    if (found === undefined) throw new NoSuchRecording()
    return { size: found.bytes.length, etag: found.etag, lastModified: found.changed }
  }

  open(id: number, start: number, end: number): Readable {
    return Readable.from([this.#all.get(id)!.bytes.subarray(start, end + 1)], { objectMode: false })
  }
}

const show = {
  params: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  response: rangeResponses('audio/mpeg'),
} as const

@Injectable()
@Controller('/recordings')
export class RecordingsController {
  constructor(private readonly recordings: Recordings) {}

  @Get({ path: '/:id', throws: [NoSuchRecording] }, show)
  show({ params }: RouteRequest<typeof show>, reply: Reply<typeof show>) {
    return sendRanges(reply.header('cache-control', 'private, no-cache'), {
      ...this.recordings.find(params.id),
      type: 'audio/mpeg',
      read: ({ start, end }) => this.recordings.open(params.id, start, end),
    })
  }
}
// #endregion ranges

@Plugin({ providers: [Recordings], routes: [RecordingsController] })
export class App {}
