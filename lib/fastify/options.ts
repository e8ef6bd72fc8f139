/** The options of Fastify 5, as options of `createServer`. */
import { LogController } from '../lifecycle/log-request.js'
import { listErrors } from '../schema/validate-request.js'
import { optionNames } from '../server/options.js'
import type { SchemaErrorDetail } from '../types/compilers.js'
import type { ServerOptions } from '../types/options.js'
import { nearestName } from '../util/nearest-name.js'

/** The messages of ajv: `body must have required property 'name', body/age must be integer`. */
export function describeDetail({ message = 'is invalid' }: SchemaErrorDetail): string {
  return message
}

/** Defaults of Fastify 5 that applications rely on. The other defaults are those of `createServer`. */
const defaults: ServerOptions = {
  exposeErrorMessages: true,
  handlerTimeout: 0,
  return503OnClosing: true,
  undeclaredResponses: 'send',
  schemaErrorFormatter: (errors, dataVar) => listErrors(errors, dataVar, describeDetail),
}

type GivenOptions = Readonly<Record<string, unknown>> & Pick<ServerOptions, 'logController' | 'disableRequestLogging' | 'requestIdLogLabel'>

/**
 * Reads the options of an application for Fastify 5. Such applications pass options of their own along with them, so an unknown option
 * is left out. One that looks like a misspelt option of the server is reported by a warning of the process.
 */
export function readOptions({ ajv, logController, disableRequestLogging, requestIdLogLabel, ...given }: GivenOptions): ServerOptions {
  const options: Record<string, unknown> = { ...defaults, ...(ajv !== undefined && { jsv: ajv }) }
  // With a controller, `disableRequestLogging: true` concerns errors and missing routes too, as in Fastify 5.
  options['logController'] =
    logController ??
    new LogController({
      ...(disableRequestLogging !== undefined && { disableRequestLogging }),
      ...(requestIdLogLabel !== undefined && { requestIdLogLabel }),
    })
  for (const [name, value] of Object.entries(given)) {
    if (optionNames.includes(name)) options[name] = value
    else warnOfMisspelling(name)
  }
  // Fastify reads these names at both places, and here first.
  for (const name of Object.keys(given['routerOptions'] ?? {})) delete options[name]
  return options
}

function warnOfMisspelling(name: string): void {
  const nearest = nearestName(name, [...optionNames, 'ajv'])
  if (nearest !== undefined) process.emitWarning(`'${name}' is not an option of the server. Did you mean '${nearest}'?`, 'AlcoveWarning')
}
