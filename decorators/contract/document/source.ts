/** Keeps an agreed OpenAPI document as it was written, follows its references, and refuses documents that cannot be read. */
import { isContainer, isObject, nameOfStep, toPointer } from '../../../lib/internal.js'
import type { ContractNote } from './contract-types.js'

/** The error for an OpenAPI document that cannot be read. The message names the place, the reason, and a valid text to write instead. */
export class ContractError extends TypeError {}

/** The depth to which objects and lists of a document may be nested. A deeper document is refused. */
const MAX_DEPTH = 200
/** The most references that are followed in one chain. A longer chain is refused, because it may lead to itself. */
const MAX_STEPS = 100

/** A value in the document, with its place as a JSON Pointer. */
export interface At {
  readonly value: any
  readonly pointer: string
}

export class Source {
  readonly root: any
  readonly notes: ContractNote[] = []

  /**
   * Copies a document that was parsed from JSON or YAML.
   * @throws ContractError if the value is not an OpenAPI document of version 3.0 or 3.1
   */
  constructor(document: unknown) {
    if (!isObject(document)) throw new ContractError('The document is not an object. Write an OpenAPI document: { "openapi": "3.1.0", … }.')
    this.root = this.#withoutPrototypes(document, [])
    const { openapi, swagger } = this.root as { openapi?: unknown; swagger?: unknown }
    if (typeof openapi === 'string' && /^3\.[01]\./.test(openapi)) return
    const found = swagger === undefined ? `openapi ${JSON.stringify(openapi) ?? 'is missing'}` : `swagger ${JSON.stringify(swagger)}`
    throw new ContractError(
      `The document is not of OpenAPI 3.0 or 3.1 (${found}). Convert it: npx swagger2openapi reads Swagger 2.0; of 3.2 write the version 3.1.`,
    )
  }

  note(pointer: string, reason: string): void {
    addNote(this.notes, pointer, reason)
  }

  /**
   * Returns the members of an object of the document, such as callbacks, that contain no references. For each of the others a note is added:
   * its references would lead to components that the document of the application may not have.
   * @param reason the text of the notes
   * @returns `undefined` if no member is left, or if the value is not an object
   */
  withoutReferences(value: unknown, pointer: string, reason: string): object | undefined {
    if (!isObject(value)) return undefined
    const entries = Object.entries(value)
    const kept = entries.filter(([name, member]) => !JSON.stringify({ [name]: member }).includes('"$ref"'))
    if (kept.length === entries.length) return value
    for (const entry of entries) if (!kept.includes(entry)) this.note(`${pointer}${toPointer([entry[0]])}`, reason)
    return kept.length === 0 ? undefined : Object.fromEntries(kept)
  }

  /**
   * Follows a chain of references, and returns the value at its end with its pointer.
   * @param pointer the place of the value in the document
   */
  follow(value: unknown, pointer: string): At {
    let at: At = { value, pointer }
    for (let steps = 0; isObject(at.value) && typeof at.value['$ref'] === 'string'; steps++) {
      if (steps === MAX_STEPS) throw new ContractError(`${pointer}: the reference '${String(at.value['$ref'])}' leads to itself.`)
      at = this.resolve(at.value['$ref'], at.pointer)
    }
    return at
  }

  /**
   * Returns the value that a reference leads to.
   * @param from the place of the reference, for error messages
   * @throws ContractError if the reference leads to another document, or nowhere
   */
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

  /**
   * Returns a copy of a value of the document without members named `__proto__`, which the body parsers of the framework refuse too.
   * @param path the keys that lead to the value in the document
   */
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

/** Adds a note to a list, unless the list has the same note already. */
export function addNote(notes: ContractNote[], pointer: string, reason: string): void {
  if (!notes.some((other) => other.pointer === pointer && other.reason === reason)) notes.push({ pointer, reason })
}

/**
 * Returns the keys in a reference within the document: `components`, `schemas` and `Pet` for `#/components/schemas/Pet`. Returns
 * `undefined` for any other reference.
 */
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
    .map((step) => nameOfStep(decode(step)))
}
