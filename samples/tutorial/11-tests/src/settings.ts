import { environment } from 'alcove'

/** The configuration: read from the environment, and proved before anything starts. */
export class Settings extends environment({
  type: 'object',
  required: ['DATABASE_URL', 'JWT_SECRET'],
  properties: {
    HOST: { type: 'string', default: 'localhost', description: 'the address to listen at; 0.0.0.0 in a container' },
    PORT: { type: 'integer', minimum: 0, maximum: 65_535, default: 3000 },
    LOG_LEVEL: { type: 'string', enum: ['fatal', 'error', 'warn', 'info', 'debug', 'trace'], default: 'info' },

    DATABASE_URL: {
      type: 'string',
      pattern: '^(postgres(ql)?://|pglite:)',
      writeOnly: true,
      description: 'postgres://user:password@host/database, pglite:folder, or pglite: for one in memory',
    },
    DATABASE_POOL_SIZE: { type: 'integer', minimum: 1, default: 10 },

    JWT_SECRET: { type: 'string', minLength: 32, writeOnly: true, description: 'signs the tokens; the same for all replicas' },
    JWT_LIFETIME: { type: 'integer', minimum: 1, default: 3600, description: 'seconds' },
  },
}) {}
