import { answers, type Behaviour } from '../client.js'
import { MAX_FILE_BYTES, MAX_FILES, sumOf } from '../uploads.js'

/** Bytes of all values, with the boundary's own characters among them. */
function bytes(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, index) => (index % 300 === 0 ? 45 : index % 256))
}

const file = (length: number): Blob => new Blob([bytes(length)], { type: 'application/octet-stream' })
const facts = (filename: string, length: number) => ({ filename, length, sum: sumOf(bytes(length)) })

function form(entries: Readonly<Record<string, string | readonly [Blob, string]>>): () => { body: FormData } {
  return () => {
    const body = new FormData()
    for (const [name, value] of Object.entries(entries)) {
      if (typeof value === 'string') body.set(name, value)
      else body.set(name, value[0], value[1])
    }
    return { body }
  }
}

const part = (rest: string): string => `--cut\r\ncontent-disposition: form-data; name="file"; filename="a.txt"${rest}`
const raw = (type: string, body: string) => ({ body, headers: { 'content-type': type } })

export const uploads: readonly Behaviour[] = [
  answers('a form has its fields', 'POST /uploads', { json: { a: '1', b: 'ö' } }, form({ a: '1', b: 'ö' })),
  answers('a form has a file', 'POST /uploads', { json: { file: facts('a b.bin', 3_000) } }, form({ file: [file(3_000), 'a b.bin'] })),
  answers(
    'a form has several files and fields',
    'POST /uploads',
    { json: { title: 'two', first: facts('1.bin', 30_000), second: facts('2.bin', MAX_FILE_BYTES - 1), empty: facts('3.bin', 0) } },
    form({ title: 'two', first: [file(30_000), '1.bin'], second: [file(MAX_FILE_BYTES - 1), '2.bin'], empty: [file(0), '3.bin'] }),
  ),
  answers(
    'a file over the limit is refused',
    'POST /uploads',
    { status: 413, has: { code: 'FST_REQ_FILE_TOO_LARGE' } },
    form({ file: [file(MAX_FILE_BYTES + 1), 'large.bin'] }),
  ),
  answers(
    'files over their number are refused',
    'POST /uploads',
    { status: 413, has: { code: 'FST_FILES_LIMIT' } },
    form(Object.fromEntries(Array.from({ length: MAX_FILES + 1 }, (_, index) => [`f${index}`, [file(10), `${index}`]]))),
  ),
  answers(
    'a form without a boundary is refused',
    'POST /uploads',
    { status: 400, has: { code: 'BROKEN_FORM' } },
    raw('multipart/form-data', part('\r\n\r\nx\r\n--cut--')),
  ),
  answers(
    'a form that has another boundary than it states is refused',
    'POST /uploads',
    { status: 400, has: { code: 'BROKEN_FORM' } },
    raw('multipart/form-data; boundary=other', part('\r\n\r\nx\r\n--cut--\r\n')),
  ),
  answers(
    'a form that breaks off is refused',
    'POST /uploads',
    { status: 400, has: { code: 'BROKEN_FORM' } },
    raw('multipart/form-data; boundary=cut', part('\r\n\r\nhalf')),
  ),
]
