/**
 * Stands for `node:module` in the worker, where nothing can be required: `createRequire` finds the modules that alcove and a build ask for in
 * this table. `node:fs` and `node:net` are not in a worker; alcove asks them for files of its package, and for the form of addresses.
 */
import * as crypto from 'node:crypto'
import * as http from 'node:http'
import * as util from 'node:util'
import * as zlib from 'node:zlib'
import { version as alcove } from 'alcove/package.json'
import formats from 'ajv-formats/dist/formats.js'
import { version as ajvFormats } from 'ajv-formats/package.json'
import equal from 'ajv/dist/runtime/equal.js'
import ucs2length from 'ajv/dist/runtime/ucs2length.js'
import uri from 'ajv/dist/runtime/uri.js'
import validationError from 'ajv/dist/runtime/validation_error.js'
import { version as ajv } from 'ajv/package.json'
import serializer from 'fast-json-stringify/lib/serializer.js'
import { version as fastJsonStringify } from 'fast-json-stringify/package.json'
import { version as findMyWay } from 'find-my-way/package.json'

const isIPv4 = (text) => /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text)
const isIPv6 = (text) => /^[\da-f:.]+$/i.test(text) && text.includes(':') && URL.canParse(`http://[${text}]/`)
const isIP = (text) => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0)

const modules = {
  'node:crypto': crypto,
  'node:fs': { existsSync: () => false },
  'node:http': http,
  'node:net': { isIP, isIPv4, isIPv6 },
  'node:util': util,
  'node:zlib': zlib,
  'alcove/package.json': { version: alcove },
  'ajv/package.json': { version: ajv },
  'ajv-formats/package.json': { version: ajvFormats },
  'fast-json-stringify/package.json': { version: fastJsonStringify },
  'find-my-way/package.json': { version: findMyWay },
  'ajv/dist/runtime/equal': { default: equal, ...equal },
  'ajv/dist/runtime/ucs2length': ucs2length,
  'ajv/dist/runtime/uri': uri,
  'ajv/dist/runtime/validation_error': validationError,
  'ajv-formats/dist/formats': formats,
  'fast-json-stringify/lib/serializer': serializer,
}

export const createRequire = () => (name) => {
  if (!Object.hasOwn(modules, name)) throw new Error(`The worker has no module ${name}: add it to node-module.mjs`)
  return modules[name]
}
