import { createServer } from 'alcove/lib'
import type { FastifyInstance } from 'fastify'
import { programmatic } from './programmatic.js'

// The types of the two frameworks differ in details that no workload uses.
export const { serve, boot } = programmatic((options) => createServer(options as object) as unknown as FastifyInstance)
