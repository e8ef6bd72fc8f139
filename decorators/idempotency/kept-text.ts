/** Kept replies as text, for stores that hold text. */
import type { KeptReply } from './store.js'

/** The JSON of a kept reply. Its body is in base64, as it may be any bytes. */
export function toText({ status, headers, body }: KeptReply): string {
  return JSON.stringify({ status, headers, body: body === undefined ? null : Buffer.from(body).toString('base64') })
}

export function fromText(text: string): KeptReply {
  const { status, headers, body } = JSON.parse(text) as { status: number; headers: KeptReply['headers']; body: string | null }
  return { status, headers, body: body === null ? undefined : Buffer.from(body, 'base64') }
}
