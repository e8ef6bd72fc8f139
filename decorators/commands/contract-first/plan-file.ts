/** Reads a contract from a file, and plans the application that keeps it. */
import { resolve } from 'node:path'
import type { Contract } from '../../contract/document/contract-types.js'
import { readContract } from '../../contract/document/read.js'
import { ContractError } from '../../contract/document/source.js'
import { UsageError } from '../modules.js'
import { readDocument } from '../files/read-document.js'
import { type PlannedApplication, planApplication } from './plan.js'

export interface PlannedFile {
  /** The document as the file contains it, before it is read as a contract. */
  readonly document: unknown
  readonly contract: Contract
  readonly plan: PlannedApplication
}

/**
 * Reads the contract in a file, and plans the application that keeps it.
 * @throws UsageError with the place of the part of the document that cannot be read
 */
export async function planFile(file: string): Promise<PlannedFile> {
  const document = await readDocument(file)
  try {
    const contract = readContract(document)
    return { document, contract, plan: await planApplication(contract) }
  } catch (error) {
    throw error instanceof ContractError ? new UsageError(`${resolve(file)}: ${error.message}`) : error
  }
}
