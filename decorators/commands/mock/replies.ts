/** Makes the reply of `alcove mock` to a request. */
import { isObject } from '../../../lib/internal.js'
import type { ContractMedia, ContractOperation, ContractResponse } from '../../contract/document/contract-types.js'
import { isJson } from '../../contract/openapi/messages.js'
import { chooseResponse, chooseType, type Preference, readPreference } from './preferences.js'
import { hasValue, type Values } from './values.js'

export interface MockReply {
  readonly status: number
  readonly fields: Readonly<Record<string, string>>
  /** The media type of the reply; `undefined` if the reply has no body. */
  readonly type?: string
  readonly payload?: string | Buffer
}

/** The headers that the server sets itself, so that they are not taken from the contract. */
const ownFields: ReadonlySet<string> = new Set(['connection', 'content-length', 'content-type', 'transfer-encoding', 'date', 'keep-alive'])

export function replyOf(
  operation: ContractOperation,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  values: Values,
): MockReply {
  const preference = readPreference(headers['prefer'])
  const { code, example, isDynamic } = preference
  const chosen = chooseResponse(operation, code)
  if (chosen === undefined) return refuse(`The contract has no response ${code}. It has ${Object.keys(operation.responses).join(', ')}.`)
  const { status, response } = chosen
  const type =
    status === 204 || status === 304 ? undefined : chooseType(response.content, [headers['accept']].flat().join(',') || undefined)
  const media = type === undefined ? undefined : response.content[type]!
  if (example !== undefined && !hasValue(media?.examples?.[example])) {
    const names = Object.entries(media?.examples ?? {}).flatMap(([name, each]) => (hasValue(each) ? [name] : []))
    return refuse(
      `The response ${status} has no example '${example}'. ${names.length === 0 ? 'It has none.' : `It has ${names.join(', ')}.`}`,
    )
  }
  const applied = [
    ...(code === undefined ? [] : [`code=${code}`]),
    ...(example === undefined ? [] : [`example="${example.replaceAll(/[^\u0020-\u007e]|["\\]/g, '_')}"`]),
    ...(isDynamic ? ['dynamic=true'] : []),
  ]
  const fields = { ...fieldsOf(response, values), ...(applied.length > 0 && { 'preference-applied': applied.join(', ') }) }
  if (type === undefined || media === undefined) return { status, fields }
  return {
    status,
    fields,
    type: type.includes('*') ? 'application/octet-stream' : type,
    payload: payloadOf(type, media, status, preference, values),
  }
}

function refuse(message: string): MockReply {
  const payload = JSON.stringify({ statusCode: 400, error: 'Bad Request', message })
  return { status: 400, fields: {}, type: 'application/json', payload }
}

/** The reply for a schema of which no value is found. The server would hide the message of the error. */
export function failedReply({ message }: Error): MockReply {
  const payload = JSON.stringify({ statusCode: 500, error: 'Internal Server Error', message })
  return { status: 500, fields: {}, type: 'application/json', payload }
}

function payloadOf(
  type: string,
  media: ContractMedia,
  status: number,
  { example, isDynamic }: Preference,
  values: Values,
): string | Buffer {
  const named = example === undefined ? undefined : media.examples![example]
  const chosenExample = hasValue(named) ? named : isDynamic ? undefined : values.exampleOf(media)
  if (isJson(type))
    return JSON.stringify(
      chosenExample === undefined
        ? payloadWithStatus(values.generate(media.schema, isDynamic), media, status, values)
        : chosenExample.value,
    )
  const isText = /^text\/|[/+](?:xml|(?:x-)?yaml) *(?:;|$)/i.test(type)
  const value = chosenExample === undefined && isText ? values.generate(media.schema, isDynamic) : chosenExample?.value
  return typeof value === 'string' ? value : Buffer.from(typeof value === 'number' || typeof value === 'boolean' ? String(value) : '')
}

/** Returns a generated error payload whose member `status` or `statusCode` is set to the status of the reply, if the schema allows this. */
function payloadWithStatus(value: unknown, { schema }: ContractMedia, status: number, values: Values): unknown {
  if (!isObject(value) || status < 400) return value
  const changed = Object.fromEntries(
    Object.entries(value).map(([name, own]) => [
      name,
      /^status(?:Code)?$/.test(name) && typeof own === 'number' ? status : (own as unknown),
    ]),
  )
  return values.problemOf(schema, changed) === undefined ? changed : value
}

function fieldsOf({ headers }: ContractResponse, values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, { schema }]): [string, string][] => {
      const value = values.exampleOf({ schema })?.value ?? values.generate(schema)
      const text = isObject(value) ? '' : [value].flat().join(',')
      // A field cannot contain other characters (RFC 9110 §5.5).
      return ownFields.has(name.toLowerCase()) || /[^\t\u0020-\u007e]/.test(text) || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)
        ? []
        : [[name, text]]
    }),
  )
}
