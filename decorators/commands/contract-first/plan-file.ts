/** Plans the application of a contract that is in a file. */
import { resolve } from 'node:path'
import type { Contract } from '../../contract/document/contract-types.js'
import { readContract } from '../../contract/document/read.js'
import { ContractError } from '../../contract/document/source.js'
import { UsageError } from '../modules.js'
import { readDocument } from '../read-document.js'
import { type PlannedApplication, planApplication } from './plan.js'

export interface PlannedFile {
  /** As it was written. */
  readonly document: unknown
  readonly contract: Contract
  readonly plan: PlannedApplication
}

/** @throws UsageError with the place of what cannot be read */
export async function planFile(file: string): Promise<PlannedFile> {
  const document = await readDocument(file)
  try {
    const contract = readContract(document)
    return { document, contract, plan: await planApplication(contract) }
  } catch (error) {
    throw error instanceof ContractError ? new UsageError(`${resolve(file)}: ${error.message}`) : error
  }
}
