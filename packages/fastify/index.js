'use strict'

const fastify = require('alcove/fastify')

// Each name is assigned by itself, so that Node finds it for `import { errorCodes } from 'fastify'`.
module.exports = fastify
module.exports.default = fastify
module.exports.fastify = fastify
module.exports.errorCodes = fastify.errorCodes
module.exports.LogController = fastify.LogController
