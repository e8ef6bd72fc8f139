/**
 * The formats of a stream of items, and which of them a client gets: the format that its `Accept` header weighs highest (RFC 9110 §12.5.1),
 * and JSON Lines if the header leaves the choice to the server.
 */

/** A format in which a stream of items is sent. */
export interface StreamFormat {
  readonly mediaType: string
  /** The text that is sent if there has been no item for some time. Clients skip this text. */
  readonly heartbeat: string
  /**
   * Whether a client treats the end of the response as a lost connection, connects again, and asks for the events after the last one that
   * it got.
   */
  readonly isResumable: boolean
  /** Makes the text of an item. @param json the item, in one line @param fields the lines of the item's other fields, such as `id: 7` */
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
/** The formats of a stream of items. If a client gives several formats the same weight, the first of them is sent. */
const formats: readonly StreamFormat[] = [jsonLines, events, { ...jsonLines, mediaType: 'application/x-ndjson' }]

export const streamMediaTypes: readonly string[] = formats.map(({ mediaType }) => mediaType)

/** A media type, or a range of media types, that a client accepts. */
interface AcceptedRange {
  /** The media type or the range in lower case, without parameters: `text/*`. */
  readonly range: string
  /** The weight that the client gives to the range, from 0 to 1; 0 means that it is not accepted. */
  readonly weight: number
}

/**
 * Returns the format of a stream of items that a client prefers; `undefined` if the client accepts none.
 * @param accept the header `Accept`; without it a client accepts everything
 */
export function chooseFormat(accept: string | undefined): StreamFormat | undefined {
  if (accept === undefined || accept.trim() === '') return jsonLines
  const accepted = accept.replaceAll(QUOTED, '""').split(',').flatMap(readRange)
  const rated = formats.map((format) => ({ format, ...rate(format, accepted) }))
  const acceptable = rated.filter(({ weight }) => weight > 0)
  // A client that names a type and accepts any other as well prefers that type.
  return acceptable.sort((a, b) => b.weight - a.weight || b.precision - a.precision)[0]?.format
}

/**
 * The pattern of a quoted value of a parameter, in which a comma or a weight has no meaning. A value without a closing quote reaches to the
 * end of the header.
 */
const QUOTED = /"(?:\\.?|[^"\\])*(?:"|$)/g
const RANGE = /^\s*([!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+)\s*(?:;(.*))?$/
const WEIGHT = /(?:^|;)\s*q=([^;]*)/i
const VALID_WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/

/** Reads one entry of an `Accept` header. An entry that is malformed accepts nothing. @returns a list of one range, or none */
function readRange(entry: string): AcceptedRange[] {
  const [, range, parameters = ''] = RANGE.exec(entry) ?? []
  const weight = WEIGHT.exec(parameters)?.[1] ?? '1'
  return range === undefined || !VALID_WEIGHT.test(weight) ? [] : [{ range: range.toLowerCase(), weight: Number(weight) }]
}

/** Returns the weight of a format (the weight of the most precise range that covers the format), and the precision of that range. */
function rate({ mediaType }: StreamFormat, accepted: readonly AcceptedRange[]): { readonly weight: number; readonly precision: number } {
  const ranges = ['*/*', `${mediaType.slice(0, mediaType.indexOf('/'))}/*`, mediaType]
  for (let precision = ranges.length - 1; precision >= 0; precision--) {
    const found = accepted.find(({ range }) => range === ranges[precision])
    if (found !== undefined) return { weight: found.weight, precision }
  }
  return { weight: 0, precision: 0 }
}
