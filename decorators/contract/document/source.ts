/** A given OpenAPI document as it was written: what its references lead to, and what of it is refused. */
import { isContainer, isObject, toPointer } from '../../../lib/internal.js'
import type { ContractNote } from './contract-types.js'

/** A document that cannot be read. The message says where, why, and what to write instead. */
export class ContractError extends TypeError {}

/** Objects nested more deeply are refused. */
const MAX_DEPTH = 200
/** Chains of references that are followed. */
const MAX_STEPS = 100

/** An object of the document, and its place. */
export interface At {
  readonly value: any
  readonly pointer: string
}

export class Source {
  readonly root: any
  readonly notes: ContractNote[] = []

  /** @throws ContractError if this is not an OpenAPI document of a version that is read */
  constructor(given: unknown) {
    if (!isObject(given)) throw new ContractError('The document is not an object. Write an OpenAPI document: { "openapi": "3.1.0", … }.')
    this.root = this.#withoutPrototypes(given, [])
    const { openapi, swagger } = this.root as { openapi?: unknown; swagger?: unknown }
    if (typeof openapi === 'string' && /^3\.[01]\./.test(openapi)) return
    const found = swagger === undefined ? `openapi ${JSON.stringify(openapi) ?? 'is missing'}` : `swagger ${JSON.stringify(swagger)}`
    throw new ContractError(
      `The document is not of OpenAPI 3.0 or 3.1 (${found}). Convert it: npx swagger2openapi reads Swagger 2.0; of 3.2 write the version 3.1.`,
    )
  }

  note(pointer: string, reason: string): void {
    if (!this.notes.some((other) => other.pointer === pointer && other.reason === reason)) this.notes.push({ pointer, reason })
  }

  /** The object at a key, behind its references. */
  follow(value: unknown, pointer: string): At {
    let at: At = { value, pointer }
    for (let steps = 0; isObject(at.value) && typeof at.value['$ref'] === 'string'; steps++) {
      if (steps === MAX_STEPS) throw new ContractError(`${pointer}: the reference '${String(at.value['$ref'])}' leads to itself.`)
      at = this.resolve(at.value['$ref'], at.pointer)
    }
    return at
  }

  /** What a reference leads to. @throws ContractError if it leads out of the document, or nowhere */
  resolve(reference: string, from: string): At {
    const steps = stepsOf(reference)
    if (steps === undefined)
      throw new ContractError(
        `${from}: the reference '${reference}' leads to another file. Bundle the document first: npx @redocly/cli bundle openapi.yaml -o openapi.json.`,
      )
    let value = this.root
    for (const step of steps) value = isContainer(value) && Object.hasOwn(value, step) ? value[step as keyof typeof value] : undefined
    if (value === undefined) throw new ContractError(`${from}: the reference '${reference}' leads nowhere.`)
    return { value, pointer: toPointer(steps) }
  }

  /** A copy without members named `__proto__`, which the parsers of bodies refuse too. */
  #withoutPrototypes(value: any, path: readonly (string | number)[]): any {
    if (!isContainer(value)) return value
    if (path.length > MAX_DEPTH)
      throw new ContractError(`${toPointer(path.slice(0, 5))}…: the document is nested more than ${MAX_DEPTH} deep.`)
    if (Array.isArray(value)) return value.map((entry, index) => this.#withoutPrototypes(entry, [...path, index]))
    const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
    if (entries.length < Object.keys(value).length)
      this.note(
        toPointer([...path, '__proto__']),
        'A body with a member of this name is refused: it would change the prototype of an object.',
      )
    return Object.fromEntries(entries.map(([key, entry]) => [key, this.#withoutPrototypes(entry, [...path, key])]))
  }
}

/** The steps of a reference within the document; `undefined` for any other reference. */
export function stepsOf(reference: string): string[] | undefined {
  if (!reference.startsWith('#/')) return undefined
  const decode = (step: string): string => {
    try {
      return decodeURIComponent(step)
    } catch {
      return step
    }
  }
  return reference
    .slice(2)
    .split('/')
    .map((step) => decode(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}
