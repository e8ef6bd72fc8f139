/** The modules of libraries that alcove and a build require while they run, and the versions that a build is compared with. */
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

export const libraries = {
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
