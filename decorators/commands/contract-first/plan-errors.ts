/** Plans the error handler of an application if the contract describes another error payload than alcove's. */
import { createDocumentValidator, isObject, STATUS_CODES } from '../../../lib/internal.js'
import type { Contract, ContractNote } from '../../contract/document/contract-types.js'
import { combinedSchemas } from '../../contract/openapi/component-references.js'

type Schema = any

/** The meaning of a member of an error payload. */
type Meaning = 'status' | 'status text' | 'message' | 'title' | 'code'

export type ErrorMembers = Readonly<Record<string, Meaning>>

/** The names, in lower case, of members that usually contain the status if they are numbers. */
const numbers: ReadonlySet<string> = new Set(['code', 'status', 'statuscode', 'errorcode'])
const usualMembers: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ...['message', 'detail', 'description', 'errordescription', 'errormessage', 'msg', 'reason'].map((name) => [name, 'message'] as const),
  ...['error', 'title', 'name'].map((name) => [name, 'title'] as const),
  ...['code', 'errorcode', 'type'].map((name) => [name, 'code'] as const),
  ...['status', 'statuscode'].map((name) => [name, 'status text'] as const),
])

/**
 * Makes the payload of an error reply.
 * @param members the members of the payload, with the meaning of each member
 * @param code the code of the error; if it is `undefined`, the name of the status is used
 */
export function plannedPayload(members: ErrorMembers, status: number, message: string, code: string | undefined): Record<string, unknown> {
  const title = STATUS_CODES[status] ?? 'Error'
  const values: Readonly<Record<Meaning, unknown>> = { status, 'status text': String(status), message, title, code: code ?? title }
  return Object.fromEntries(Object.entries(members).map(([name, meaning]) => [name, values[meaning]]))
}

/**
 * Plans the members of the payload that a written error handler makes: of the error schemas that alcove's payload does not satisfy, the
 * first one for which a payload can be made. Returns `undefined` if there is none.
 * @param notes gets a note for each error schema that the payload of the application does not satisfy
 */
export async function planErrors(contract: Contract, notes: ContractNote[]): Promise<ErrorMembers | undefined> {
  const validator = await createDocumentValidator()
  const isValid = (schema: Schema, payload: object): boolean => {
    try {
      return validator.compile('error', schema, contract.schemas)(payload) === undefined
    } catch {
      // A schema that does not compile fails the boot, whose error says what is wrong with the schema.
      return true
    }
  }
  // Many errors have no code: those of invalid requests, and those that are thrown without one.
  const own = { statusCode: 400, error: 'Bad Request', message: 'body should be object' }
  const code = 'ALC_ERR_VALIDATION'
  const found = errorSchemas(contract)
  const unfit = found.filter(({ schema }) => !isValid(schema, own) || !isValid(schema, { ...own, code }))
  const isMade = (members: ErrorMembers, schema: Schema): boolean => isValid(schema, plannedPayload(members, 400, own.message, code))
  const planned = unfit.map(({ pointer, schema }) => ({ pointer, schema, members: payloadMembers(schema, contract) }))
  const chosen = planned.find(({ members, schema }) => isMade(members, schema))
  const members = chosen?.members
  const reason =
    chosen === undefined
      ? 'An error handler is left to write: errors of alcove are { statusCode, error, message }, which this schema refuses.'
      : `The error handler makes the payload of ${chosen.pointer}, which this schema refuses.`
  for (const { pointer, schema } of members === undefined ? unfit : found)
    if (members === undefined || !isMade(members, schema)) notes.push({ pointer, reason })
  return members
}

/**
 * Returns the schemas of the JSON payloads of error replies, each once: those of statuses from 400 on, and `default` if another response is
 * the success.
 */
function errorSchemas({ operations }: Contract): readonly { readonly pointer: string; readonly schema: Schema }[] {
  const found = new Map<string, { readonly pointer: string; readonly schema: Schema }>()
  for (const { pointer, responses } of operations) {
    const errors = Object.keys(responses).some((status) => /^[23]/.test(status)) ? /^(?:4|5|default)/ : /^[45]/
    for (const [status, { content }] of Object.entries(responses)) {
      const schema = content['application/json']?.schema
      const key = JSON.stringify(schema)
      if (errors.test(status) && schema !== undefined && !found.has(key))
        found.set(key, { pointer: `${pointer}/responses/${status}`, schema })
    }
  }
  return [...found.values()]
}

function payloadMembers(schema: Schema, { schemas }: Contract): ErrorMembers {
  const properties = combinedSchemas(schema, schemas, ['allOf'])
    .filter(isObject)
    .flatMap((combined) => Object.entries<Schema>(combined['properties'] ?? {}))
  return Object.fromEntries(
    properties.flatMap(([name, property]): [string, Meaning][] => {
      const key = name.toLowerCase().replaceAll(/[^a-z]/g, '')
      const types: unknown[] = [property?.type].flat()
      if (types.includes('integer') || types.includes('number')) return numbers.has(key) ? [[name, 'status']] : []
      const meaning = types.includes('string') ? usualMembers.get(key) : undefined
      return meaning === undefined ? [] : [[name, meaning]]
    }),
  )
}
