import type { Behaviour } from '../client.js'
import { bodies } from './bodies.js'
import { content } from './content.js'
import { errors } from './errors.js'
import { hooks } from './hooks.js'
import { replies } from './replies.js'
import { routing } from './routing.js'
import { scopes } from './scopes.js'
import { shutdown } from './shutdown.js'
import { streams } from './streams.js'
import { uploads } from './uploads.js'
import { validation } from './validation.js'

/** All behaviours, by subject. */
export const behaviours: Readonly<Record<string, readonly Behaviour[]>> = {
  routing,
  validation,
  replies,
  content,
  hooks,
  errors,
  bodies,
  uploads,
  streams,
  scopes,
  shutdown,
}
