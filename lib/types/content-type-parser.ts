/** Content-type parsers. */

/**
 * A content-type parser: with `parseAs` it gets the whole body, else the stream. What it passes to `done`, or returns a promise of,
 * becomes `request.body`.
 */
export type ContentTypeParser = (this: void, request: any, payload: any, done: (error: Error | null, body?: unknown) => void) => unknown

/** How a {@link ContentTypeParser} gets a body. */
export interface ContentTypeParserOptions {
  /** `string` (400 where it is not valid UTF-8) or `buffer`. Default: the stream, to which no limit applies. */
  parseAs?: 'string' | 'buffer' | undefined
  /** bytes; default: the server's `bodyLimit`; a route's own limit takes precedence */
  bodyLimit?: number | undefined
}
