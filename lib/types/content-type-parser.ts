/** Content-type parsers, which read request bodies, and their options. */

/**
 * A content-type parser. With `parseAs` it receives the whole body, otherwise the stream. The value that it passes to `done`, or
 * that its promise resolves to, becomes `request.body`.
 */
export type ContentTypeParser = (this: void, request: any, payload: any, done: (error: Error | null, body?: unknown) => void) => unknown

/** How a {@link ContentTypeParser} receives a body. */
export interface ContentTypeParserOptions {
  /** `string` (a body that is not valid UTF-8 is answered 400) or `buffer`. Default: the stream, to which no limit applies. */
  parseAs?: 'string' | 'buffer' | undefined
  /** bytes; default, and 0: the server's `bodyLimit`; a route's own limit takes precedence */
  bodyLimit?: number | undefined
}
