/** Errors of routes at boot: their places, and one error for all of them. */
import type { DeclaredOptions } from '../context/declared-route.js'
import { errorCodes } from '../errors/codes.js'
import { missingSchemaOf } from '../schema/part-failure.js'
import { kPlace } from '../util/symbols.js'
import type { RouteDeclaration } from './compile.js'

/** Returns a function that runs a step, adds the error of a step that fails to `faults`, and tells whether the step succeeded. */
export function collectInto(faults: Error[]): (step: () => void) => boolean {
  return (step) => {
    try {
      step()
      return true
    } catch (error) {
      faults.push(error as Error)
      return false
    }
  }
}

/** Adds the place of a decorated route to an error of the route. If the route does not see a shared schema, also adds what to write. */
export function addPlace(error: unknown, { [kPlace]: place }: DeclaredOptions): unknown {
  if (place === undefined || !(error instanceof Error) || !Object.isExtensible(error)) return error
  const missing = missingSchemaOf(error)
  const cure = missing === undefined ? '' : `. ${place.cureOfUnlistedSchema(missing)}`
  error.message = `${place.path}: ${error.message}${cure}`
  return Object.assign(error, { context: place.path })
}

/** Adds the name of a route to find-my-way's error message. Messages about invalid paths stay the same as Fastify's. */
export function nameRouteIn(fault: Error, { method, url, context }: RouteDeclaration): Error {
  if (/^[/*]/.test(url)) fault.message += ` (in the route ${[method].flat().join(', ')} ${url} of ${context.path})`
  return fault
}

/**
 * Throws the faults of routes, if there are any.
 * @throws a single fault itself; several faults as one error with a list of them (`errors`), and with their common code if all have the
 * same code
 */
export function throwFaults(faults: readonly Error[]): void {
  if (faults.length === 0) return
  if (faults.length === 1) throw faults[0]!
  const [code, ...others] = new Set(faults.map((fault) => (fault as { code?: string }).code))
  const failure = Object.assign(new errorCodes.ALC_ERR_BOOT_FAULTS(faults), { errors: faults })
  throw code !== undefined && others.length === 0 ? Object.assign(failure, { code }) : failure
}
