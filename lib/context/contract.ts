/** What guards, error handlers and plugins declare of their replies, and how it travels with their functions. */
import type { ContextDocs, Contract } from '../types/description.js'

/** hook, error handler, not-found handler or plugin function → its contract */
const kContract = Symbol('alcove.contract')

/** A contract with the texts of the routes of a context. */
export interface PluginContract extends Contract {
  readonly docs?: ContextDocs
}

/** A contract that a context has, and the path of the plugin that declares it. */
export interface ContextContract {
  readonly from: string
  readonly contract: PluginContract
}

/** The contract that a function carries. */
export function contractOf(given: unknown): PluginContract | undefined {
  return typeof given === 'function' ? (given as { [kContract]?: PluginContract })[kContract] : undefined
}

/** Makes a function carry a contract. */
export function setContract(to: object, contract: PluginContract | undefined): void {
  if (contract !== undefined) Object.defineProperty(to, kContract, { value: contract, configurable: true, enumerable: true })
}
