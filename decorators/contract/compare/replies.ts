/** Compares the replies of an operation in two documents: does every new reply fit what old clients expect? */
import type { ContractContent, ContractOperation, ContractResponse } from '../document/contract-types.js'
import type { SchemaComparison } from '../subsumption/compare.js'
import type { Change } from './compare-types.js'
import { examplesOf, mediaFor } from './requests.js'
import { compareSchemasOfPart } from './schemas-of-part.js'

export function compareReplies(old: ContractOperation, now: ContractOperation, comparison: SchemaComparison): Change[] {
  const changes: Change[] = []
  for (const [status, response] of Object.entries(now.responses)) {
    const expected = responseFor(status, old)
    changes.push(...(expected === undefined ? [newStatus(status)] : compareResponse(status, expected, response, comparison)))
  }
  for (const status of Object.keys(old.responses)) if (responseFor(status, now) === undefined) changes.push(lostStatus(status))
  return changes
}

/** Returns the response that a document describes for a status: by the status itself, its range (`4XX`), or `default`. */
function responseFor(status: string, { responses }: ContractOperation): ContractResponse | undefined {
  const names = status === 'default' ? [status] : [status, `${status[0]}XX`, 'default']
  const found = names.find((name) => Object.hasOwn(responses, name))
  return found === undefined ? undefined : responses[found]
}

/** Returns the change for a response status that only the new document describes. */
function newStatus(status: string): Change {
  const part = `reply ${status}`
  const text = 'is new'
  switch (status[0]) {
    case '4':
    case '5':
      // RFC 9110 §15: a client treats a status that it does not know as the x00 status of its class.
      return { part, answer: 'compatible', reason: `${text}; a client treats it as any error of its class` }
    case '2':
      return { part, answer: 'breaking', reason: `${text}, and old clients do not expect it`, example: status }
    default:
      if (status === '304') return { part, answer: 'compatible', reason: `${text}; only conditional requests get it` }
      return { part, answer: 'unknown', reason: `${text}, and it is not known what old clients do with it` }
  }
}

function lostStatus(status: string): Change {
  const part = `reply ${status}`
  if (status.startsWith('2')) return { part, answer: 'breaking', reason: 'is no longer sent, and old clients wait for it', example: status }
  return { part, answer: 'compatible', reason: 'is no longer sent' }
}

function compareResponse(status: string, old: ContractResponse, now: ContractResponse, comparison: SchemaComparison): Change[] {
  const part = `reply ${status}`
  const changes = compareContents(part, old.content, now.content, comparison)
  const headers = new Map(Object.entries(now.headers).map(([name, header]) => [name.toLowerCase(), header]))
  for (const [name, header] of Object.entries(old.headers)) {
    const counterpart = headers.get(name.toLowerCase())
    const named = `${part} header ${name}`
    if (counterpart === undefined)
      changes.push({ part: named, answer: 'compatible', reason: 'is no longer described; headers may always be absent' })
    else
      changes.push(
        ...compareSchemasOfPart(named, 'server', { old: header.schema, new: counterpart.schema }, comparison, { reading: 'text' }),
      )
  }
  return changes
}

function compareContents(part: string, old: ContractContent, now: ContractContent, comparison: SchemaComparison): Change[] {
  const [before, after] = [Object.keys(old), Object.keys(now)]
  // A document that describes no payload promises none.
  if (before.length === 0)
    return after.length === 0 ? [] : [{ part, answer: 'compatible', reason: 'has a payload, which was not described' }]
  if (after.length === 0) return [{ part, answer: 'unknown', reason: 'has no described payload any more' }]
  const changes: Change[] = []
  for (const type of before.filter((each) => mediaFor(each, now) === undefined))
    changes.push({ part, answer: 'breaking', reason: `is no longer sent as ${type}`, example: `a request with Accept: ${type}` })
  for (const [type, media] of Object.entries(now)) {
    const expected = mediaFor(type, old)
    if (expected === undefined) changes.push({ part, answer: 'compatible', reason: `is also sent as ${type}, to clients that ask for it` })
    else {
      const named = after.length > 1 ? `${part} ${type}` : part
      const schemas = { old: expected.schema, new: media.schema }
      changes.push(...compareSchemasOfPart(named, 'server', schemas, comparison, { examples: examplesOf(media) }))
    }
  }
  return changes
}
