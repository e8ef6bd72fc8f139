/** Reads a contract from a file, and plans an application that implements the contract. */
import { resolve } from 'node:path'
import type { Contract } from '../../contract/document/contract-types.js'
import { readContract } from '../../contract/document/read.js'
import { ContractError } from '../../contract/document/source.js'
import { UsageError } from '../modules.js'
import { readDocument } from '../files/read-document.js'
import { type PlannedApplication, planApplication } from './plan.js'

export interface PlannedFile {
  /** The parsed content of the file, before it is read as a contract. */
  readonly document: unknown
  readonly contract: Contract
  readonly plan: PlannedApplication
}

/**
 * Reads the contract in a file, and plans an application that implements the contract.
 * @throws UsageError with the place in the document that cannot be read
 */
export async function planFile(file: string): Promise<PlannedFile> {
  const document = await readDocument(file)
  try {
    const contract = readContract(document)
    if (contract.operations.length === 0) throw new UsageError(`${resolve(file)} has no operations. Write some below paths.`)
    return { document, contract, plan: await planApplication(contract) }
  } catch (error) {
    throw error instanceof ContractError ? new UsageError(`${resolve(file)}: ${error.message}`) : error
  }
}
