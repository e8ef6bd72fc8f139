/** Shrinks a request as long as the smaller request shows the same fault. */
import { isObject } from '../../../lib/internal.js'
import { isJson } from '../../contract/openapi/messages.js'
import type { Draft } from './drafts.js'
import { put } from '../values/fitting.js'

const MAX_SENDS = 150

/**
 * Returns the smallest request that was found to show a fault.
 * @param isSame returns whether a request shows the fault
 */
export async function shrink(draft: Draft, isSame: (draft: Draft) => Promise<boolean>, most = MAX_SENDS): Promise<Draft> {
  let best = draft
  let sends = 0
  search: while (sends < most) {
    for (const smaller of smallerDrafts(best)) {
      if (sends++ >= most) break
      if (!(await isSame(smaller))) continue
      best = smaller
      continue search
    }
    break
  }
  return best
}

function* smallerDrafts(draft: Draft): Iterable<Draft> {
  const { body, tail, ...rest } = draft
  if (draft.isAnonymous !== true) yield { ...draft, isAnonymous: true }
  if (tail !== undefined) {
    yield { ...rest, ...(body && { body }) }
    if (tail.length > 50) yield { ...draft, tail: tail.slice(0, Math.ceil(tail.length / 2)) }
  }
  if (body !== undefined) {
    yield { ...rest, ...(tail !== undefined && { tail }) }
    if (typeof body.raw === 'string') for (const raw of smallerTexts(body.raw)) yield { ...draft, body: { ...body, raw } }
  }
  for (const part of ['query', 'headers', 'cookies'] as const)
    for (const value of smallerValues(draft[part])) if (isObject(value)) yield { ...draft, [part]: value }
  for (const [name, value] of Object.entries(draft.params))
    for (const smaller of smallerValues(value))
      if (smaller !== '' && smaller !== null) yield { ...draft, params: { ...draft.params, [name]: smaller } }
  if (body?.value !== undefined && body.raw === undefined)
    for (const value of smallerValues(body.value))
      if (isJson(body.type ?? '') || value !== null) yield { ...draft, body: { ...body, value } }
}

/** Yields smaller values than a value, the smallest first. */
function* smallerValues(value: unknown): Iterable<unknown> {
  if (typeof value === 'string') return yield* smallerTexts(value)
  if (typeof value === 'number') {
    for (const smaller of [0, 1, Math.trunc(value / 2)]) if (Math.abs(smaller) < Math.abs(value)) yield smaller
    return
  }
  if (Array.isArray(value)) return yield* smallerLists(value)
  if (!isObject(value)) return
  const names = Object.keys(value)
  if (names.length > 20) for (const part of [names.slice(names.length / 2), names.slice(0, names.length / 2)]) yield without(value, part)
  if (names.length <= 20) for (const name of names) yield without(value, [name])
  for (const name of names.slice(0, 20)) for (const smaller of smallerValues(value[name])) yield withMember(value, name, smaller)
}

function* smallerLists(list: readonly unknown[]): Iterable<unknown[]> {
  if (list.length === 0) return
  yield []
  if (list.length > 1) yield [list[0]]
  if (list.length > 2) for (const part of [list.slice(0, list.length / 2), list.slice(list.length / 2)]) yield part
  if (list.length <= 10) for (const index of list.keys()) yield list.toSpliced(index, 1)
  else yield list.slice(0, -1)
  for (const [index, item] of list.slice(0, 10).entries()) for (const smaller of smallerValues(item)) yield list.with(index, smaller)
}

function* smallerTexts(text: string): Iterable<string> {
  if (text.length > 1) yield 'a'
  if (text.length > 2) {
    yield text.slice(0, Math.floor(text.length / 2))
    yield text.slice(Math.ceil(text.length / 2))
    for (const share of [0.9, 0.99, 0.999]) yield text.slice(0, Math.ceil(text.length * share))
    yield text.slice(0, -1)
  }
}

function without(value: object, names: readonly string[]): object {
  const copy = {}
  for (const [name, member] of Object.entries(value)) if (!names.includes(name)) put(copy, name, member)
  return copy
}

function withMember(value: object, changed: string, smaller: unknown): object {
  const copy = {}
  for (const [name, member] of Object.entries(value)) put(copy, name, name === changed ? smaller : member)
  return copy
}
