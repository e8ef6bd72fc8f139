import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { serve } from 'alcove/bun'
import { App, appOptions } from '../app.js'

// A package in CommonJS that requires alcove gets the same classes as one that imports it.
assert.equal(createRequire(import.meta.url)('alcove/bun').serve, serve)

const server = await serve(App, { hostname: '127.0.0.1', server: appOptions })
console.log(server.listeningOrigin)
