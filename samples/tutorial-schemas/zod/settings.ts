import { environment } from 'alcove'
import { z } from 'zod'

/** The configuration: read from the environment, and proved before anything starts. */
export class Settings extends environment(
  z.object({
    HOST: z.string().default('localhost').describe('the address to listen at; 0.0.0.0 in a container'),
    PORT: z.int().min(0).max(65_535).default(3000),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  }),
) {}
