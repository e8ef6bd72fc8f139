/**
 * The formats of a stream of items, and which of them a client gets: that which its `Accept` header weighs highest (RFC 9110 §12.5.1), and
 * JSON Lines if it leaves the choice to the server.
 */

export interface StreamFormat {
  readonly mediaType: string
  /** Sent if there has been no item for some time. Readers skip it. */
  readonly heartbeat: string
  /** Whether a client takes the end of the response for a lost connection, and asks again from the last event on. */
  readonly isResumable: boolean
  /** The text of an item. @param json one line @param fields the lines of its other fields */
  readonly frame: (json: string, fields: string) => string
}

const jsonLines: StreamFormat = {
  mediaType: 'application/jsonl',
  heartbeat: '\n',
  isResumable: false,
  frame: (json) => `${json}\n`,
}
const events: StreamFormat = {
  mediaType: 'text/event-stream',
  heartbeat: ':\n\n',
  isResumable: true,
  frame: (json, fields) => `${fields}data: ${json}\n\n`,
}
/** The first of several that a client weighs alike is sent. */
const formats: readonly StreamFormat[] = [jsonLines, events, { ...jsonLines, mediaType: 'application/x-ndjson' }]

export const streamMediaTypes: readonly string[] = formats.map(({ mediaType }) => mediaType)

/** A media type, or a range of them, that a client accepts. */
interface AcceptedRange {
  /** Lower case, without parameters: `text/*`. */
  readonly range: string
  /** 0 to 1; 0: not accepted */
  readonly weight: number
}

/** @param accept the header; without one a client accepts everything @returns `undefined` if the client accepts none */
export function chooseFormat(accept: string | undefined): StreamFormat | undefined {
  if (accept === undefined || accept.trim() === '') return jsonLines
  const accepted = accept.replaceAll(QUOTED, '""').split(',').flatMap(readRange)
  const rated = formats.map((format) => ({ format, ...rate(format, accepted) }))
  const acceptable = rated.filter(({ weight }) => weight > 0)
  // A client that names a type and accepts any other as well prefers that type.
  return acceptable.sort((a, b) => b.weight - a.weight || b.precision - a.precision)[0]?.format
}

/** The value of a parameter, in which a comma or a weight has no meaning. One without an end reaches to the end of the header. */
const QUOTED = /"(?:\\.?|[^"\\])*(?:"|$)/g
const RANGE = /^\s*([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)\s*(?:;(.*))?$/
const WEIGHT = /(?:^|;)\s*q=([^;]*)/i
const VALID_WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/

/** An entry that is malformed accepts nothing. */
function readRange(entry: string): AcceptedRange[] {
  const [, range, parameters = ''] = RANGE.exec(entry) ?? []
  const weight = WEIGHT.exec(parameters)?.[1] ?? '1'
  return range === undefined || !VALID_WEIGHT.test(weight) ? [] : [{ range: range.toLowerCase(), weight: Number(weight) }]
}

/** The weight of a format: the weight of the most precise range that covers it. */
function rate({ mediaType }: StreamFormat, accepted: readonly AcceptedRange[]): { readonly weight: number; readonly precision: number } {
  const ranges = ['*/*', `${mediaType.slice(0, mediaType.indexOf('/'))}/*`, mediaType]
  for (let precision = ranges.length - 1; precision >= 0; precision--) {
    const found = accepted.find(({ range }) => range === ranges[precision])
    if (found !== undefined) return { weight: found.weight, precision }
  }
  return { weight: 0, precision: 0 }
}
