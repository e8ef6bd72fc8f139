/**
 * Plans an application that implements a contract, as data. `alcove new --from` writes the source files from this plan, and `alcove mock`
 * makes an application in memory from it.
 */
import { isObject } from '../../../lib/internal.js'
import type { OpenApiOptions } from '../../contract/index.js'
import type { Contract, ContractNote, ContractOperation } from '../../contract/document/contract-types.js'
import { withoutNames } from '../../contract/openapi/paths.js'
import { addNote } from '../../contract/document/source.js'
import { lifecycleMethods } from '../../wiring/provider-record.js'
import { Draft7, hasDefaultInAlternative } from './draft7.js'
import { type Guard, Guards } from './guards.js'
import { camel, kebab, Names, pascal } from './identifiers.js'
import { type PlannedAction, planAction, type Planning } from './plan-action.js'
import { type ErrorMembers, planErrors } from './plan-errors.js'
import { type PlannedSchema, planSchemas } from './plan-schemas.js'

/** A planned plugin and its controller, for the operations of one tag. */
export interface PlannedGroup {
  /** The name of the plugin's folder and of its files: `pets`. */
  readonly file: string
  /** The name of the plugin class: `PetsPlugin`. */
  readonly plugin: string
  readonly controller: string
  /** The prefix of the controller, which all paths of the group share: `/pets`. */
  readonly prefix: string
  readonly tags: readonly string[] | undefined
  readonly actions: readonly PlannedAction[]
}

export interface PlannedApplication {
  /** The options of the OpenAPI document of the application: title, version, servers and tags. */
  readonly document: OpenApiOptions
  /** The prefix of all routes: `/v1` if the URL of the contract's servers ends in this path. */
  readonly prefix: string | undefined
  /** Whether the application sends errors as problem details (RFC 9457). */
  readonly hasProblems: boolean
  /** The members of the error payload; `undefined` if the application has no error handler. */
  readonly errors: ErrorMembers | undefined
  /** The options of the server's validator (ajv); `undefined` if the defaults suffice. */
  readonly validator: object | undefined
  readonly schemas: readonly PlannedSchema[]
  readonly guards: readonly Guard[]
  readonly groups: readonly PlannedGroup[]
  /** The notes on the places of the contract that the application does not implement. */
  readonly notes: readonly ContractNote[]
}

export async function planApplication(contract: Contract): Promise<PlannedApplication> {
  const notes = [...contract.notes]
  const note = (pointer: string, reason: string): void => addNote(notes, pointer, reason)
  const draft7 = new Draft7(note)
  const schemas = planSchemas(contract.schemas, draft7)
  const guards = new Guards(contract.securitySchemes, note)
  const operations = withoutTwins(contract.operations, note)
  const planned = groupsOf(operations)
    .map((group) => planGroup(group, { contract, draft7, guards, note }))
    .filter(({ actions }) => actions.length > 0)
  const prefix = prefixOf(contract, note)
  const hasProblems = declareProblems(operations)
  return {
    document: { ...documentOf(contract), ...(prefix !== undefined && { basePath: prefix }) },
    prefix,
    hasProblems,
    errors: hasProblems ? undefined : await planErrors(contract, notes),
    validator: validatorOf(draft7, schemas, planned),
    schemas,
    guards: guards.all,
    groups: nameGroups(planned),
    notes,
  }
}

/** Whether problem details (RFC 9457) are declared for more error responses than `application/json` is. */
function declareProblems(operations: readonly ContractOperation[]): boolean {
  const types = operations
    .flatMap(({ responses }) => Object.entries(responses).filter(([status]) => /^[45d]/.test(status)))
    .flatMap(([, { content }]) => Object.keys(content))
  return types.filter((type) => type === 'application/problem+json').length > types.filter((type) => type === 'application/json').length
}

function documentOf({ info, servers, tags, externalDocs, extensions }: Contract): OpenApiOptions {
  return {
    info,
    ...(servers.length > 0 && { servers }),
    ...(tags.length > 0 && { tags }),
    ...(externalDocs !== undefined && { externalDocs }),
    ...extensions,
  }
}

/** The place of the note that says why the routes have no prefix. */
export const serversPointer = '/servers'

/**
 * Returns the path in the URL of the contract's servers: `/v1` for `https://api.example.com/v1`. Returns `undefined` if there is no path,
 * or if the path cannot be a prefix of routes.
 */
function prefixOf({ servers }: Contract, note: (pointer: string, reason: string) => void): string | undefined {
  const paths = servers.map(({ url, variables = {} }) => {
    const filled = url.replaceAll(/\{([^}]*)\}/g, (_, name: string) => String(variables[name]?.default ?? ''))
    return URL.canParse(filled, 'http://localhost') ? new URL(filled, 'http://localhost').pathname.replace(/\/+$/, '') : ''
  })
  const [path = ''] = paths
  if (paths.some((each) => each !== path)) note(serversPointer, 'The paths of the servers differ, so the routes are below none of them.')
  else if (/^(?:\/[\w.~-]+)+$/.test(path)) return path
  else if (path !== '') note(serversPointer, `The path ${path} of the server is not a prefix of the routes.`)
  return undefined
}

/**
 * Returns the operations with different paths. The router cannot have two paths that differ only in the names of parameters, so only the
 * first is kept. A repeated operationId is removed.
 */
function withoutTwins(operations: readonly ContractOperation[], note: (pointer: string, reason: string) => void): ContractOperation[] {
  const taken = new Map<string, ContractOperation>()
  const ids = new Set<string>()
  const named = operations.map((operation): ContractOperation => {
    const { operationId, ...others } = operation
    if (operationId !== undefined && ids.has(operationId)) {
      note(`${operation.pointer}/operationId`, 'Another operation has this operationId.')
      return others
    }
    if (operationId !== undefined) ids.add(operationId)
    return operation
  })
  return named.filter((operation) => {
    const key = `${operation.method} ${withoutNames(operation.path)}`
    const other = taken.get(key)
    if (other === undefined) taken.set(key, operation)
    else note(operation.pointer, `${operation.path} is the same path as ${other.path}, so it has no route.`)
    return other === undefined
  })
}

/** Groups the operations by their first tag. Operations without tags are grouped by the first path segment without a parameter. */
function groupsOf(operations: readonly ContractOperation[]): readonly (readonly [string, readonly ContractOperation[]])[] {
  const groups = new Map<string, ContractOperation[]>()
  for (const operation of operations) {
    const segment = operation.path.split('/').find((each) => each !== '' && !each.includes('{'))
    const name = operation.tags[0] ?? segment ?? 'root'
    groups.set(name, [...(groups.get(name) ?? []), operation])
  }
  return [...groups]
}

type UnnamedGroup = Omit<PlannedGroup, 'file' | 'plugin' | 'controller'> & { readonly name: string }

function planGroup([name, operations]: readonly [string, readonly ContractOperation[]], planning: Planning): UnnamedGroup {
  const [first] = operations
  const tags = operations.every((each) => JSON.stringify(each.tags) === JSON.stringify(first!.tags)) ? first!.tags : [name]
  const hasTags = first!.tags.length > 0
  const prefix = commonPrefix(operations.map(({ path }) => path))
  const members = new Names([...lifecycleMethods].map(String))
  const constants = new Names([...importedByControllers, ...planning.guards.all.map((guard) => guard.name)])
  const actions = operations.flatMap((operation) => {
    const member = members.take(camel(operation.operationId ?? `${operation.method} ${operation.path.replaceAll('{', 'by ')}`, 'operation'))
    const action = planAction(operation, { prefix, member, constant: constants.take(member), tags: hasTags ? tags : [] }, planning)
    return action === undefined ? [] : [action]
  })
  return { name, prefix, tags: hasTags ? tags : undefined, actions }
}

const importedByControllers = 'Action Controller Delete Get Head Hook HttpError Options Patch Post Put ref refTo RouteRequest'.split(' ')

function nameGroups(groups: readonly UnnamedGroup[]): PlannedGroup[] {
  const files = new Names(['app', 'main', 'guards', 'errors', 'models', 'contract'])
  const classes = new Names(['App', 'Contract'])
  return groups.map(({ name, ...group }) => {
    const own = classes.take(pascal(name, 'Group'))
    return { ...group, file: files.take(kebab(name, 'group')), plugin: `${own}Plugin`, controller: `${own}Controller` }
  })
}

/**
 * Returns the leading segments that all paths have in common, up to the first segment with a parameter: `/pets` for `/pets/{id}` and
 * `/pets/{id}/toys`.
 */
function commonPrefix(paths: readonly string[]): string {
  if (paths.some((path) => path.endsWith('/'))) return ''
  const [first = [], ...others] = paths.map((path) => path.split('/').slice(1))
  const end = first.findIndex((segment, index) => !/^[\w.~-]+$/.test(segment) || others.some((other) => other[index] !== segment))
  return first
    .slice(0, end === -1 ? first.length : end)
    .map((segment) => `/${segment}`)
    .join('')
}

function validatorOf({ needs }: Draft7, schemas: readonly PlannedSchema[], groups: readonly UnnamedGroup[]): object | undefined {
  const shared = new Map(schemas.map(({ id, schema }) => [id, schema]))
  const all = [...shared.values(), ...groups.flatMap(({ actions }) => actions.map(({ schema }) => schema))].filter(isObject)
  const options = {
    ...((needs.isLax || hasDefaultInAlternative(all, shared)) && { strict: false }),
    ...(needs.formats.size > 0 && { formats: Object.fromEntries([...needs.formats].map((name) => [name, true])) }),
  }
  return Object.keys(options).length > 0 ? options : undefined
}
