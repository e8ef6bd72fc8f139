/** Compares two versions of the schema of a body, a parameter or a reply, and says in the reason which side takes which values. */
import type { Side } from '../subsumption/schemas.js'
import type { SchemaComparison } from '../subsumption/compare.js'
import type { Reading } from '../subsumption/validators.js'
import type { Change } from './compare-types.js'

/** The sender of the values: the client sends requests, the server sends replies. */
export type Sender = 'client' | 'server'

/**
 * Compares two versions of the schema of a body, a parameter or a reply. The receiver must accept all values that the sender may send: the
 * new server all requests of old clients, and old clients all replies of the new server.
 * @param examples examples that fit the schema of the sender
 */
export function compareSchemasOfPart(
  part: string,
  sender: Sender,
  schemas: Readonly<Record<Side, unknown>>,
  comparison: SchemaComparison,
  { examples = [], reading = 'json' }: { readonly examples?: readonly unknown[]; readonly reading?: Reading } = {},
): Change[] {
  const [wide, narrow]: readonly [Side, Side] = sender === 'client' ? ['new', 'old'] : ['old', 'new']
  const taker = sender === 'client' ? 'the server' : 'a client'
  const findings = comparison.compare([schemas[wide], wide], [schemas[narrow], narrow], examples, reading)
  return findings.map(({ path, reason, ...others }) => ({ part, ...(path !== '' && { path }), reason: `${taker} ${reason}`, ...others }))
}
