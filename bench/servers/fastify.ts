import Fastify from 'fastify'
import { programmatic } from './programmatic.js'

export const { serve, boot } = programmatic((options) => Fastify(options))
