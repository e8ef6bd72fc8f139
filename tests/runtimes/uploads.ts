/** The routes of the suite that take forms with files, by `@fastify/multipart`. */
import { createHash } from 'node:crypto'
import multipart from '@fastify/multipart'
import { HttpError, type Request, type Server } from 'alcove'

/** The method that the plugin adds to a request. */
interface Form {
  parts(): AsyncIterable<{ fieldname: string; value?: unknown; filename?: string; toBuffer?(): Promise<Buffer> }>
}

export const MAX_FILE_BYTES = 40_000
export const MAX_FILES = 3

export async function declareUploads(server: Server): Promise<void> {
  server.register(multipart, { limits: { fileSize: MAX_FILE_BYTES, files: MAX_FILES } })
  // The plugin passes on errors of its parser without a status.
  server.setErrorHandler((error: Error & { statusCode?: number }) => {
    throw error.statusCode === undefined && /multipart/i.test(error.message)
      ? new HttpError(400, error.message, { code: 'BROKEN_FORM' })
      : error
  })
  server.post('/', async (request: Request) => {
    const seen: Record<string, unknown> = {}
    for await (const part of (request as unknown as Form).parts()) {
      const bytes = await part.toBuffer?.()
      seen[part.fieldname] = bytes === undefined ? part.value : { filename: part.filename, length: bytes.length, sum: sumOf(bytes) }
    }
    return seen
  })
}

export function sumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16)
}
