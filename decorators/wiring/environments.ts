/** The configuration classes of an application: the classes made by `environment` among its providers. */
import { environmentError, environmentNames, findEnvironmentProblems, isEnvironmentClass, textOfProblem } from '../../lib/internal.js'
import { nameOf } from './value-names.js'
import type { Wiring } from './provider-record.js'

/** A class made by `environment`, and the place of its provider: `App > Settings`. */
interface ProvidedEnvironment {
  readonly Class: Parameters<typeof findEnvironmentProblems>[0]
  readonly place: string
}

/** Returns all classes made by `environment` that plugins provide, each once. */
export function environmentsOf({ providers, privateProviders }: Wiring): ProvidedEnvironment[] {
  const records = [...providers.values(), ...privateProviders.values()].flatMap((tokens) => [...tokens.values()])
  const found = new Map<unknown, ProvidedEnvironment>()
  for (const { kind, source, plugin } of records) {
    if (kind !== 'class' || !isEnvironmentClass(source) || found.has(source)) continue
    found.set(source, { Class: source, place: `${plugin.path} > ${nameOf(source)}` })
  }
  return [...found.values()]
}

/**
 * Checks the environment variables of the process for all classes made by `environment`, so that a boot reports all problems together.
 * @throws ALC_ERR_ENVIRONMENT_INVALID
 */
export function assertEnvironment(wiring: Wiring): void {
  const environments = environmentsOf(wiring)
  const known = environments.flatMap(({ Class }) => environmentNames(Class) ?? [])
  const problems = environments.flatMap(({ Class, place }) =>
    findEnvironmentProblems(Class, process.env, known).map((problem) => textOfProblem(problem, place)),
  )
  if (problems.length > 0) throw environmentError(problems)
}
