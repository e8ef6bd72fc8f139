import { environment } from 'alcove'

/** The configuration: read from the environment, and proved before anything starts. */
export class Settings extends environment({
  type: 'object',
  required: ['DATABASE_URL'],
  properties: {
    DATABASE_URL: {
      type: 'string',
      pattern: '^(postgres(ql)?://|pglite:)',
      writeOnly: true,
      description: 'postgres://user:password@host/database, pglite:folder, or pglite: for one in memory',
    },
    DATABASE_POOL_SIZE: { type: 'integer', minimum: 1, default: 10 },
  },
}) {}
