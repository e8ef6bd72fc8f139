/**
 * Stands for `node:module` in the worker, where nothing can be required: `createRequire` finds the modules that alcove and a build ask for in
 * this table. `node:fs` and `node:net` are not in a worker; alcove asks them for files of its package, and for the form of addresses.
 */
import * as crypto from 'node:crypto'
import * as http from 'node:http'
import * as util from 'node:util'
import * as zlib from 'node:zlib'
import { libraries } from './libraries.mjs'

const isIPv4 = (text) => /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text)
const isIPv6 = (text) => /^[\da-f:.]+$/i.test(text) && text.includes(':') && URL.canParse(`http://[${text}]/`)
const isIP = (text) => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0)

const modules = {
  ...libraries,
  'node:crypto': crypto,
  'node:fs': { existsSync: () => false },
  'node:http': http,
  'node:net': { isIP, isIPv4, isIPv6 },
  'node:util': util,
  'node:zlib': zlib,
}

export const createRequire = () => (name) => {
  if (!Object.hasOwn(modules, name)) throw new Error(`The worker has no module ${name}: add it to node-module.mjs`)
  return modules[name]
}
