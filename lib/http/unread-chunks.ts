import type { Readable } from 'node:stream'
import { ChunkList } from '../util/chunk-list.js'

/**
 * Merges the chunks of a body that arrive before the body is read. Node would keep a separate buffer for each chunk, even for a chunk of a
 * single byte.
 * @param stream a stream that is not read yet
 */
export function collectUnread(stream: Readable): void {
  const { push, read } = stream
  let unread: ChunkList | undefined
  /** Whether the reader has asked for more bytes than there are, so that it now waits for an event. */
  let isAwaited = false
  const release = (): void => {
    const bytes = unread?.toBuffer()
    unread = undefined
    if (bytes !== undefined) push.call(stream, bytes)
  }
  stream.push = (chunk: unknown, encoding) => {
    if (!isAwaited && chunk instanceof Buffer && stream.readableLength > 0) {
      unread ??= new ChunkList()
      unread.add(chunk)
      return stream.readableLength + unread.length < stream.readableHighWaterMark
    }
    release()
    return push.call(stream, chunk, encoding)
  }
  stream.read = (size) => {
    // Node itself reads 0 bytes to make the source send more.
    if (size === 0) return read.call(stream, size)
    release()
    const bytes: unknown = read.call(stream, size)
    isAwaited = bytes === null
    return bytes
  }
}
