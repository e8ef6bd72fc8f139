#!/usr/bin/env node
/** `npm create alcove <dir>`: runs `alcove new <dir>` of the alcove that npm has installed for it. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const manifest = createRequire(import.meta.url).resolve('alcove/package.json')
const { bin } = JSON.parse(readFileSync(manifest, 'utf8'))
process.argv.splice(2, 0, 'new')
await import(pathToFileURL(join(manifest, '..', bin.alcove)).href)
