/** The configuration from the environment, checked once at boot. One error names all missing and invalid variables. */
import { factory, token } from 'alcove'
import { z } from 'zod'

const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
const count = z.coerce.number('is no number').int().min(0)

const describeVariables = (isProduction: boolean) =>
  z
    .object({
      NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
      HOST: z.string().default('127.0.0.1'),
      PORT: z.coerce.number('is no number').int().min(0).max(65_535).default(3000),
      LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
      /** Addresses of the proxies whose forwarded headers are trusted, e.g. `loopback, 10.0.0.0/8`. */
      TRUST_PROXY: z.string().optional(),
      /** ms between the time when /readyz starts to answer 503 and the time when the port closes. */
      SHUTDOWN_DELAY: count.default(0),
      /** ms for which idle connections stay open after the port has closed: longer than proxies keep them. */
      CLOSE_IDLE_DELAY: count.default(isProduction ? 5000 : 0),

      /** If not set, the database is PGlite, in PGLITE_DIRECTORY or in memory. */
      DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
      DATABASE_POOL_SIZE: count.min(1).default(10),
      PGLITE_DIRECTORY: z.string().optional(),
      /** Whether an empty database gets a few users and articles. */
      SEED: flag.default(!isProduction),

      /** If not set, the process generates a secret, which is lost when it ends. */
      JWT_SECRET: isProduction ? z.string('is required in production').min(32) : z.string().min(32).optional(),
      JWT_EXPIRES_IN: z.string().default('30d'),

      CORS_ORIGIN: z.string().default('*'),
      /** Requests that one client may make in a minute; 0: no limit. */
      RATE_LIMIT: count.default(isProduction ? 600 : 0),
      /** The Redis in which several replicas count requests together. */
      REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
      /** ms by which the event loop may lag before requests are answered 503; 0: no limit. */
      MAX_EVENT_LOOP_DELAY: count.default(isProduction ? 1000 : 0),

      /** The receiver of traces. If not set, there are none. */
      OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
      OTEL_SERVICE_NAME: z.string().default('conduit'),
    })
    .transform((config) => ({ ...config, isProduction }))

export type Config = z.infer<ReturnType<typeof describeVariables>>
export type Environment = Record<string, string | undefined>

/** The environment variables; a test overrides them. */
export const ENVIRONMENT = token<Environment>('ENVIRONMENT')
export const CONFIG = token<Config>('CONFIG')

export const configProviders = [{ provide: ENVIRONMENT, useValue: process.env }, factory(CONFIG, [ENVIRONMENT], readConfig)]

/** Variables of the environment are missing or invalid. */
export class ConfigError extends Error {
  override get name(): string {
    return 'ConfigError'
  }
}

/** @throws ConfigError that lists all faults */
export function readConfig(environment: Environment): Config {
  // Deployments pass variables that are empty; they count as not set.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const { data, error } = describeVariables(given['NODE_ENV'] === 'production').safeParse(given)
  if (error === undefined) return data
  const faults = error.issues.map(({ path, message }) => `  - ${path.join('.')}: ${message}`)
  throw new ConfigError(`The environment has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.join('\n')}`)
}
