/** The most bytes of a chunk that is copied into a common buffer. A separate buffer costs 400 bytes of memory. */
const SMALL_CHUNK = 2_048
const MIN_BLOCK = 2 * SMALL_CHUNK
const MAX_BLOCK = 65_536

/** A list of the chunks of a body. However small the chunks are, they take memory in proportion to their bytes. */
export class ChunkList {
  /** The number of bytes in all chunks together. */
  length = 0
  /** The first chunk. It is not copied, because most bodies have only one chunk. */
  private first: Buffer | undefined = undefined
  private chunks: Buffer[] | undefined = undefined
  /** A buffer with room for small chunks, which are copied into it. */
  private block: Buffer | undefined = undefined
  private used = 0

  add(chunk: Buffer): void {
    this.length += chunk.length
    if (this.first === undefined) {
      this.first = chunk
      return
    }
    const chunks = (this.chunks ??= [this.first])
    if (this.block === undefined || this.block.length - this.used < chunk.length) {
      this.closeBlock(chunks)
      if (chunk.length > SMALL_CHUNK) {
        chunks.push(chunk)
        return
      }
      this.block = Buffer.allocUnsafeSlow(Math.min(MAX_BLOCK, Math.max(MIN_BLOCK, this.length)))
    }
    chunk.copy(this.block, this.used)
    this.used += chunk.length
  }

  private closeBlock(chunks: Buffer[]): void {
    if (this.block !== undefined) chunks.push(this.block.subarray(0, this.used))
    this.block = undefined
    this.used = 0
  }

  /** Returns all bytes as one buffer. */
  toBuffer(): Buffer {
    if (this.chunks === undefined) return this.first ?? Buffer.alloc(0)
    this.closeBlock(this.chunks)
    return Buffer.concat(this.chunks, this.length)
  }
}
