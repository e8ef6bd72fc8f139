/** The programmatic server's public face. */
export * from './contract.js'
export { type AlcoveError, errorCodes, HttpError } from './errors.js'
export * from './schema-types.js'
export { createServer } from './server.js'
