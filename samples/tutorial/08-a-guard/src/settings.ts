import { environment } from 'alcove'

/** The configuration: read from the environment, and proved before anything starts. */
export class Settings extends environment({
  type: 'object',
  required: ['DATABASE_URL', 'API_KEY'],
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

    // #region key
    API_KEY: { type: 'string', minLength: 16, writeOnly: true, description: 'the key of clients that change books' },
    // #endregion
  },
}) {}
