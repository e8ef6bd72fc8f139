import { environment } from 'alcove'
import { Type } from 'typebox'

/** The configuration: read from the environment, and proved before anything starts. */
export class Settings extends environment(
  Type.Object({
    HOST: Type.String({ default: 'localhost', description: 'the address to listen at; 0.0.0.0 in a container' }),
    PORT: Type.Integer({ minimum: 0, maximum: 65_535, default: 3000 }),
    LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], { default: 'info' }),
  }),
) {}
