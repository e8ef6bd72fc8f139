import { applicationTable, bootTable, loadTables, requestsTable, sizesTable, socketsTable, wiringTable } from './tables.mjs'

/** By part of the results: its table. */
export const tables = {
  requests: requestsTable,
  sockets: socketsTable,
  boot: bootTable,
  sizes: sizesTable,
  load: loadTables,
  application: applicationTable,
  wiring: wiringTable,
}
