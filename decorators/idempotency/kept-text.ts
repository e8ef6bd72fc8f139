/** Converts stored replies to text and back, for stores of text. */
import type { KeptReply } from './store.js'

/** Returns the JSON of a stored reply. The body is written in base64, because it may consist of any bytes. */
export function toText({ status, headers, body }: KeptReply): string {
  return JSON.stringify({ status, headers, body: body === undefined ? null : Buffer.from(body).toString('base64') })
}

export function fromText(text: string): KeptReply {
  const { status, headers, body } = JSON.parse(text) as { status: number; headers: KeptReply['headers']; body: string | null }
  return { status, headers, body: body === null ? undefined : Buffer.from(body, 'base64') }
}
